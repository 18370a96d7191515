// From the log to one sink: reads on from the cursor, hands over, flushes, notes the new place. No
// thread and no clock of its own, so it can be tested step by step; SinkRunner drives it.
#pragma once

#include <taffrail/sink.h>

#include "record/log_writer.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace taffrail::record {

struct DeliveryOptions {
    std::string sink_name;
    RouteMask mask = kAllSinks;
    std::string cursor_path;
    SinkContext context;
    /// A multiple of what a tracking server takes at once, so that no request is nearly empty.
    std::size_t chunk_records = 4000;
    std::chrono::milliseconds first_pause = std::chrono::milliseconds(100);
    std::chrono::milliseconds longest_pause = std::chrono::seconds(30);
    /// Chunks that come one behind the other are flushed together, but not later than this.
    std::chrono::milliseconds longest_unflushed = std::chrono::milliseconds(200);
    std::function<std::chrono::steady_clock::time_point()> now = [] {
        return std::chrono::steady_clock::now();
    };
    /// Told how many records more have arrived, after each part; may be empty.
    std::function<void(std::uint64_t)> progress = {};
};

/// A sink and whether it is open: several deliveries, one after the other, may share one.
struct OpenSink {
    explicit OpenSink(Sink& taken) : sink(taken) {}

    Sink& sink;
    bool opened = false;
};

class Delivery {
  public:
    using Time = std::chrono::steady_clock::time_point;

    Delivery(OpenSink& sink, LogReader& log, DeliveryOptions options, LogPosition start);

    /// Does what is due at `now` and says when to come again. Failures are kept, reported once and
    /// tried again later.
    Time step(Time now);
    /// Hands over everything the log holds now, whatever the flush interval says. The error is the
    /// sink's.
    Result<void> drain();
    /// Opens the sink if it is not open yet, then closes it.
    Result<void> close(RunState state);

    [[nodiscard]] LogPosition position() const noexcept { return position_; }

    [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }

    /// The failure the sink is in, if it is.
    [[nodiscard]] const Error* failure() const noexcept { return failure_ ? &*failure_ : nullptr; }

  private:
    Result<void> open();
    // One chunk: read, hand over; flush and note where it is time. `more` = there was something.
    Result<void> deliver_chunk(bool& more);
    Result<void> hand_over(const LogReader::Chunk& chunk);
    Result<void> note_position();
    Result<bool> enough_waiting();
    void fail(const Error& error, Time now);

    OpenSink& open_sink_;
    Sink& sink_;
    LogReader& log_;
    DeliveryOptions options_;
    LogPosition position_, noted_;
    LogPosition counted_from_, counted_to_;  ///< records between them wait to be enough
    std::size_t waiting_ = 0;
    std::uint64_t delivered_ = 0, told_ = 0;  ///< taken by the sink; of those, told to progress
    bool is_unflushed_ = false, is_note_due_ = false;
    Time unflushed_since_{};
    std::optional<Error> failure_;
    std::chrono::milliseconds pause_;
    Time next_flush_{}, not_before_{};
    std::vector<Record> accepted_;
    std::vector<std::size_t> accepted_index_;
};

}  // namespace taffrail::record
