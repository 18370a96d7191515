// Turns spooled values into records: a thread of its own, so that encoding a picture never holds up
// scalars.
#pragma once

#include "codec/tlog/batch.h"
#include "record/drain.h"
#include "record/spool.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace taffrail::record {

/// A value as the log keeps it: metadata, and bytes that go to the pack.
struct EncodedValue {
    Bytes metadata;
    std::vector<Blob> blobs;
};

/// Encodes the bytes a log call put into the spool.
using EncodeValue = std::function<Result<EncodedValue>(Kind kind, ByteSpan raw)>;
/// Stores a blob; safe from this worker's thread.
using PutBlob = std::function<Result<tlog::BlobPlace>(ByteSpan bytes, const BlobRef& ref)>;

/// A finished record with what its views point at.
struct CompletedValue {
    std::uint64_t seq = 0;
    std::uint32_t spool_file = 0;
    tlog::ValueRecord record;  ///< of kind kMetaKind: a meta record of type `key`
    Bytes metadata;
    std::vector<Blob> blobs;
    bool failed = false;  ///< could not be encoded; there is no record
};

/// A record without its bytes, for values that are encoded already.
tlog::ValueRecord record_of(const SpooledValue& value);

/// Puts it where it belongs in the batch.
void add_to(tlog::Batch& batch, const CompletedValue& value);

/// Reads a value back from the spool and encodes it; what the worker does, one value at a time.
Result<CompletedValue> complete_value(const SpooledValue& value, ByteSpan raw,
                                      const EncodeValue& encode, const PutBlob& put_blob);

class ValueWorker {
  public:
    struct Hooks {
        EncodeValue encode;
        PutBlob put_blob;
        std::function<void()> completed;  ///< there is something for take_completed()
        std::function<void(const Error& error)> failed;
    };

    ValueWorker(Spool& spool, Hooks hooks);
    /// Gives up what is not encoded yet; it stays in the spool.
    ~ValueWorker();

    void enqueue(std::span<const SpooledValue> values);
    std::vector<CompletedValue> take_completed();
    /// True when nothing is under way.
    [[nodiscard]] bool idle() const;
    /// Waits until nothing enqueued before is under way.
    bool wait_idle(std::chrono::steady_clock::time_point deadline);

  private:
    void work();
    bool encode_next(std::unique_lock<std::mutex>& guard);

    Spool& spool_;
    Hooks hooks_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<SpooledValue> queue_;
    std::vector<CompletedValue> completed_;
    bool busy_ = false, stop_ = false;
    std::thread thread_;  // started with the first value, where the system has one
};

}  // namespace taffrail::record
