#include "server/api/export_job.h"

#include "base/clock.h"
#include "base/names.h"

namespace taffrail::server {
namespace {

constexpr std::size_t kMaxTickets = 1000;
constexpr std::int64_t kKeptForNs = 3'600'000'000'000;

std::size_t bytes_of(const std::vector<std::string>& texts) {
    std::size_t bytes = texts.size() * sizeof(std::string);
    for (const std::string& text : texts) {
        bytes += text.capacity() > 15 ? text.capacity() + 1 : 0;  // short ones stand in the object
    }
    return bytes;
}

}  // namespace

std::size_t ExportJob::bytes() const {
    return sizeof(ExportJob) + bytes_of(question.runs) + bytes_of(question.keys) +
           bytes_of(question.damaged) + bytes_of(columns) +
           bytes_of({name, question.x ? question.x->metric : std::string()});
}

std::string ExportTickets::add(ExportJob job) {
    const std::size_t bytes = job.bytes();
    if (bytes > limit_bytes_) {
        return {};
    }
    auto kept = std::make_shared<const ExportJob>(std::move(job));
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && (order_.size() >= kMaxTickets || bytes_ + bytes > limit_bytes_ ||
                               monotonic_ns() - order_.front().made_ns > kKeptForNs)) {
        forget_oldest();
    }
    const std::string id = make_run_id(wall_time_ns());
    jobs_.emplace(id, kept);
    order_.push_back({id, std::move(kept), bytes, monotonic_ns()});
    bytes_ += bytes;
    return id;
}

std::shared_ptr<const ExportJob> ExportTickets::find(const std::string& id) {
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && monotonic_ns() - order_.front().made_ns > kKeptForNs) {
        forget_oldest();
    }
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->second;
}

std::size_t ExportTickets::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void ExportTickets::forget_oldest() {
    bytes_ -= order_.front().bytes;
    jobs_.erase(order_.front().id);
    order_.pop_front();
}

}  // namespace taffrail::server
