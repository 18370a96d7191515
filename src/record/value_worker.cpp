#include "record/value_worker.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/try.h"

namespace taffrail::record {

tlog::ValueRecord record_of(const SpooledValue& value) {
    return {.seq = value.seq,
            .key = value.key,
            .kind = value.kind,
            .step = value.step,
            .time_ns = value.time_ns,
            .epoch = value.context.epoch,
            .samples = value.context.samples,
            .phase = static_cast<Phase>(value.context.phase),
            .route = value.route,
            .metadata = {},
            .blobs = {}};
}

Result<CompletedValue> complete_value(const SpooledValue& value, ByteSpan raw,
                                      const EncodeValue& encode, const PutBlob& put_blob) {
    CompletedValue completed;
    EncodedValue encoded;
    if (value.kind == kMetaKind) {
        encoded.metadata.assign(raw.begin(), raw.end());
    } else {
        TAFFRAIL_ASSIGN(encoded, encode(value.kind, raw));
    }
    completed.seq = value.seq;
    completed.spool_file = value.file;
    completed.record = record_of(value);
    completed.metadata = std::move(encoded.metadata);
    completed.blobs = std::move(encoded.blobs);
    completed.record.metadata = completed.metadata;
    for (const Blob& blob : completed.blobs) {
        TAFFRAIL_ASSIGN(tlog::BlobPlace place, put_blob(*blob.bytes, blob.ref));
        completed.record.blobs.push_back(place);
    }
    return completed;
}

void add_to(tlog::Batch& batch, const CompletedValue& value) {
    batch.spool_done.push_back(value.seq);
    if (value.failed) {
        return;
    }
    if (value.record.kind == kMetaKind) {
        batch.meta.push_back({static_cast<tlog::MetaType>(value.record.key), value.seq,
                              value.record.time_ns, value.metadata});
    } else {
        batch.values.push_back(value.record);
        batch.values.back().metadata = value.metadata;
    }
}

ValueWorker::ValueWorker(Spool& spool, Hooks hooks) : spool_(spool), hooks_(std::move(hooks)) {}

ValueWorker::~ValueWorker() {
    {
        const std::lock_guard guard(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void ValueWorker::enqueue(std::span<const SpooledValue> values) {
    std::unique_lock guard(mutex_);
    queue_.insert(queue_.end(), values.begin(), values.end());
    if (queue_.empty()) {
        return;
    }
    if (!thread_.joinable()) {
        try {
            thread_ = start_quiet_thread("taffrail-values", [this] { work(); });
        } catch (const std::system_error& error) {
            diagnose_once(DiagnosticLevel::Warning, "record.values",
                          std::string("values are encoded by the thread that writes the log, there "
                                      "is none of their own: ") +
                              error.what() + "; raise the limit of processes (ulimit -u)");
            while (!queue_.empty() && encode_next(guard)) {
            }
        }
    }
    changed_.notify_all();
}

std::vector<CompletedValue> ValueWorker::take_completed() {
    const std::lock_guard guard(mutex_);
    return std::exchange(completed_, {});
}

bool ValueWorker::idle() const {
    const std::lock_guard guard(mutex_);
    return queue_.empty() && !busy_ && completed_.empty();
}

bool ValueWorker::wait_idle(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock guard(mutex_);
    return changed_.wait_until(guard, deadline, [this] { return queue_.empty() && !busy_; });
}

// False when the store does not take it: the value stays first in line.
bool ValueWorker::encode_next(std::unique_lock<std::mutex>& guard) {
    const SpooledValue value = queue_.front();
    busy_ = true;
    guard.unlock();
    Result<CompletedValue> completed = [&]() -> Result<CompletedValue> {
        TAFFRAIL_ASSIGN(const Bytes raw, spool_.read(value.file, value.offset, value.length));
        return complete_value(value, raw, hooks_.encode, hooks_.put_blob);
    }();
    if (!completed.ok()) {
        hooks_.failed(completed.error());
    }
    guard.lock();
    busy_ = false;
    const bool store_trouble = !completed.ok() && (completed.error().code == ErrorCode::NoSpace ||
                                                   completed.error().code == ErrorCode::Io);
    if (store_trouble && !stop_) {
        return false;
    }
    queue_.pop_front();
    if (completed.ok()) {
        completed_.push_back(*std::move(completed));
    } else {
        CompletedValue failed;
        failed.seq = value.seq;
        failed.spool_file = value.file;
        failed.failed = true;
        completed_.push_back(std::move(failed));
    }
    guard.unlock();
    changed_.notify_all();
    hooks_.completed();
    guard.lock();
    return true;
}

void ValueWorker::work() {
    std::unique_lock guard(mutex_);
    constexpr std::chrono::milliseconds kFirst{10}, kLongest{1000};
    std::chrono::milliseconds pause = kFirst;
    while (!stop_) {
        if (queue_.empty()) {
            changed_.wait(guard);
        } else if (encode_next(guard)) {
            pause = kFirst;
        } else {
            changed_.wait_for(guard, pause, [this] { return stop_; });
            pause = std::min(pause * 2, kLongest);
        }
    }
}

}  // namespace taffrail::record
