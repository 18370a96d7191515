#include "server/line_cache.h"

#include <iterator>

namespace taffrail::server {
namespace {

std::size_t bytes_of(const std::vector<AxisLine>& lines) {
    std::size_t bytes = sizeof(lines);
    for (const AxisLine& line : lines) {
        bytes += sizeof(line) + sizeof(double) * (line.x.capacity() + line.y.capacity());
    }
    return bytes;
}

}  // namespace

AxisLines LineCache::find(const std::string& name, std::uint64_t revision, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second->revision != revision) {
        return nullptr;
    }
    found->second->used = now;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->lines;
}

void LineCache::keep(const std::string& name, std::uint64_t revision, AxisLines lines,
                     Clock::time_point now) {
    const std::size_t bytes = name.size() + bytes_of(*lines);
    const std::lock_guard lock(mutex_);
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
        drop(found->second);
    }
    if (bytes > limit_) {
        return;
    }
    while (bytes_ + bytes > limit_) {
        drop(std::prev(order_.end()));
    }
    order_.push_front({name, revision, std::move(lines), bytes, now});
    by_name_[name] = order_.begin();
    bytes_ += bytes;
}

void LineCache::forget_unused_since(Clock::time_point time) {
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && order_.back().used < time) {
        drop(std::prev(order_.end()));
    }
}

std::size_t LineCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void LineCache::drop(std::list<Kept>::iterator entry) {
    bytes_ -= entry->bytes;
    by_name_.erase(entry->name);
    order_.erase(entry);
}

}  // namespace taffrail::server
