#include "sinks/tensorboard/summary_queue.h"

#include <chrono>

namespace taffrail::tensorboard {

void SummaryQueue::room(std::unique_lock<std::mutex>& lock) {
    if (pending_.scalars.size() + pending_.job_bytes > kMaxBytes) [[unlikely]] {
        work_.notify_one();
        space_.wait(lock, [&] {
            return closed_ || pending_.scalars.size() + pending_.job_bytes <= kMaxBytes;
        });
    }
}

// A wake-up is a system call, so it happens only when the thread sleeps and there is something it
// should write now: the first event of all, or max_queue of them.
void SummaryQueue::wake_if_due() {
    if (sleeping_ && (first_ || pending_.events >= max_queue_)) {
        sleeping_ = false;
        work_.notify_one();
    }
}

bool SummaryQueue::push_scalar(const ScalarHeader& header, std::string_view tag) {
    std::unique_lock lock(mutex_);
    room(lock);
    if (closed_) {
        return false;
    }
    Bytes& to = pending_.scalars;
    const std::size_t at = to.size();
    to.resize(at + sizeof header + tag.size());
    std::memcpy(to.data() + at, &header, sizeof header);
    std::memcpy(to.data() + at + sizeof header, tag.data(), tag.size());
    ++pending_.events;
    wake_if_due();
    return true;
}

bool SummaryQueue::push_job(SummaryJob job, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    room(lock);
    if (closed_) {
        return false;
    }
    const ScalarHeader header{.what = ScalarHeader::What::Job};
    append(pending_.scalars, header);
    pending_.jobs.push_back(std::move(job));
    pending_.job_bytes += bytes;
    ++pending_.events;
    wake_if_due();
    return true;
}

std::uint64_t SummaryQueue::request_flush() {
    std::lock_guard lock(mutex_);
    ++requested_;
    sleeping_ = false;
    work_.notify_one();
    return requested_;
}

void SummaryQueue::wait_for_flush(std::uint64_t ticket) {
    std::unique_lock lock(mutex_);
    flushed_.wait(lock, [&] { return served_ >= ticket; });
}

void SummaryQueue::close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    sleeping_ = false;
    work_.notify_one();
    space_.notify_all();
}

SummaryQueue::Turn SummaryQueue::take(SummaryBatch& batch, double timeout_seconds, bool paced) {
    using namespace std::chrono_literals;
    batch.clear();
    std::unique_lock lock(mutex_);
    const auto urgent = [&] { return closed_ || requested_ > served_; };
    if (paced) {
        const auto full = [&] { return pending_.scalars.size() + pending_.job_bytes > kMaxBytes; };
        work_.wait_for(lock, 5ms, [&] { return urgent() || full(); });
    }
    const auto due = [&] {
        return urgent() || (!pending_.empty() && (first_ || pending_.events >= max_queue_));
    };
    if (!due()) {
        sleeping_ = true;
        work_.wait_for(lock, std::chrono::duration<double>(timeout_seconds), due);
        sleeping_ = false;
    }
    first_ = first_ && pending_.empty();
    std::swap(batch, pending_);
    space_.notify_all();
    return {.flush_ticket = requested_, .closed = closed_};
}

void SummaryQueue::served(std::uint64_t ticket) {
    std::lock_guard lock(mutex_);
    served_ = ticket;
    flushed_.notify_all();
}

}  // namespace taffrail::tensorboard
