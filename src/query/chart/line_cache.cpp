#include "query/chart/line_cache.h"

namespace taffrail::query {
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
    Kept* const found = lines_.find(name);
    if (found == nullptr || found->revision != revision) {
        return nullptr;
    }
    found->used = now;
    return found->lines;
}

void LineCache::keep(const std::string& name, std::uint64_t revision, AxisLines lines,
                     Clock::time_point now) {
    const std::size_t bytes = name.size() + bytes_of(*lines);
    const std::lock_guard lock(mutex_);
    if (bytes <= lines_.limit()) {
        lines_.keep(name, {revision, std::move(lines), now}, bytes);
    } else {
        lines_.drop(name);
    }
}

void LineCache::forget_unused_since(Clock::time_point time) {
    const std::lock_guard lock(mutex_);
    while (lines_.oldest() != nullptr && lines_.oldest()->used < time) {
        lines_.drop_oldest();
    }
}

std::size_t LineCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return lines_.weight();
}

}  // namespace taffrail::query
