#include "sinks/tensorboard/summary_queue.h"

#include <chrono>

namespace taffrail::sinks::tensorboard {

std::byte* SummaryQueue::place(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
    if (!pending_.chunks.empty()) [[likely]] {
        SummaryChunk& chunk = pending_.chunks.back();
        if (SummaryChunk::kBytes - chunk.used >= bytes) [[likely]] {
            std::byte* const at = chunk.bytes.get() + chunk.used;
            chunk.used += bytes;
            return at;
        }
    }
    return place_in_next_chunk(lock, bytes);
}

std::byte* SummaryQueue::place_in_next_chunk(std::unique_lock<std::mutex>& lock,
                                             std::size_t bytes) {
    if (pacing_ && !pending_.chunks.empty()) {
        pacing_ = false;
        work_.notify_one();
    }
    if (full()) {
        work_.notify_one();
        space_.wait(lock, [&] { return closed_ || !full(); });
    }
    if (spare_.empty()) {
        pending_.chunks.emplace_back();
    } else {
        pending_.chunks.push_back(std::move(spare_.back()));
        spare_.pop_back();
    }
    pending_.chunks.back().used = bytes;
    return pending_.chunks.back().bytes.get();
}

void SummaryQueue::recycle(SummaryBatch& batch) {
    for (SummaryChunk& chunk : batch.chunks) {
        if (spare_.size() < kSpareChunks) {
            spare_.push_back(std::move(chunk));
        }
    }
    batch.chunks.clear();
    batch.jobs.clear();
    batch.events = batch.job_bytes = 0;
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
    if (closed_) {
        return false;
    }
    std::byte* const at = place(lock, sizeof header + tag.size());
    std::memcpy(at, &header, sizeof header);
    std::memcpy(at + sizeof header, tag.data(), tag.size());
    ++pending_.events;
    wake_if_due();
    return true;
}

bool SummaryQueue::push_job(SummaryJob job, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    if (full()) {
        work_.notify_one();
        space_.wait(lock, [&] { return closed_ || !full(); });
    }
    if (closed_) {
        return false;
    }
    const ScalarHeader header{.what = ScalarHeader::What::Job};
    pending_.jobs.push_back(std::move(job));
    std::memcpy(place(lock, sizeof header), &header, sizeof header);
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
    std::unique_lock lock(mutex_);
    recycle(batch);
    const auto urgent = [&] { return closed_ || requested_ > served_; };
    if (paced && pending_.chunks.size() < 2 && !full()) {
        pacing_ = true;
        work_.wait_for(lock, 5ms, [&] { return urgent() || !pacing_; });
        pacing_ = false;
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

}  // namespace taffrail::sinks::tensorboard
