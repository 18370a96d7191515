#include "record/delivery.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "record/cursor.h"

#include <algorithm>
#include <span>

namespace taffrail::record {

Delivery::Delivery(OpenSink& sink, LogReader& log, DeliveryOptions options, LogPosition start)
    : open_sink_(sink),
      sink_(sink.sink),
      log_(log),
      options_(std::move(options)),
      position_(start),
      noted_(start),
      pause_(options_.first_pause) {}

Result<void> Delivery::open() {
    if (!open_sink_.opened) {
        TAFFRAIL_TRY(sink_.open(options_.context));
        open_sink_.opened = true;
    }
    return {};
}

Result<void> Delivery::hand_over(const LogReader::Chunk& chunk) {
    // Most sinks take everything: then nothing is picked out.
    const bool takes_all = std::ranges::all_of(
        chunk.records, [this](const Record& record) { return sink_.accepts(record.kind); });
    accepted_.clear();
    accepted_index_.clear();
    for (std::size_t i = 0; i < chunk.records.size() && !takes_all; ++i) {
        const Record& record = chunk.records[i];
        if (sink_.accepts(record.kind)) {
            accepted_.push_back(record);
            accepted_index_.push_back(i);
        } else if (record.kind != Kind::MetricDefinition && record.kind != Kind::Summary) {
            diagnose_once(
                DiagnosticLevel::Warning,
                "sink." + options_.sink_name + ".kind." + std::string(to_string(record.kind)),
                options_.sink_name + " has no place for records of kind " +
                    std::string(to_string(record.kind)) + " (key '" + std::string(record.key) +
                    "'); they stay in the native store only");
        }
    }
    const std::span<const Record> handed = takes_all ? chunk.records : accepted_;
    std::size_t arrived = 0;
    Result<void> written = handed.empty() ? Result<void>() : sink_.write(handed, arrived);
    if (written.ok()) {
        delivered_ += handed.size();
        position_ = chunk.next;
    } else if (arrived > 0) {
        arrived = std::min(arrived, handed.size());
        delivered_ += arrived;
        position_ = chunk.start;
        position_.within += takes_all ? arrived : accepted_index_[arrived - 1] + 1;
    }
    return written;
}

Result<void> Delivery::deliver_chunk(bool& more) {
    const Result<LogReader::Chunk> read =
        log_.read(position_, options_.mask, options_.chunk_records);
    if (!read.ok()) {
        // What was taken before it is made visible and noted all the same.
        if (is_unflushed_ && sink_.flush().ok()) {
            is_unflushed_ = false;
            TAFFRAIL_TRY(note_position());
        }
        return read.error();
    }
    const LogReader::Chunk& chunk = *read;
    more = chunk.next != position_;
    const std::uint64_t before = delivered_;
    Result<void> handed = hand_over(chunk);
    // The place is noted only behind a flush: what a sink holds in memory when the process dies is
    // handed over again. A flush that failed is still due, also where nothing new came.
    if (delivered_ != before && !is_unflushed_) {
        unflushed_since_ = options_.now();
        is_unflushed_ = true;
    }
    // A flush costs the same after one chunk as after ten. While there is more, few are enough.
    const bool was_flushed =
        is_unflushed_ && (!more || !handed.ok() || sink_.flush_records() != 0 ||
                          options_.now() >= unflushed_since_ + options_.longest_unflushed);
    if (was_flushed) {
        TAFFRAIL_TRY(sink_.flush());
        is_unflushed_ = false;
        if (options_.progress && delivered_ != told_) {
            options_.progress(delivered_ - told_);
            told_ = delivered_;
        }
    }
    if (!is_unflushed_ && (was_flushed || is_note_due_ ||
                           (handed.ok() && more && noted_.offset + (1 << 20) < position_.offset))) {
        TAFFRAIL_TRY(note_position());
    }
    return handed;
}

Result<void> Delivery::note_position() {
    is_note_due_ = true;  // where it fails it stays due, also where nothing new comes
    TAFFRAIL_TRY(write_cursor(options_.cursor_path, position_));
    is_note_due_ = false;
    noted_ = position_;
    return {};
}

Result<bool> Delivery::enough_waiting() {
    const std::size_t enough = sink_.flush_records();
    if (enough == 0) {
        return false;
    }
    // A read ends with a batch of the log; what is counted stays counted until it is handed over.
    if (counted_from_ != position_) {
        counted_from_ = counted_to_ = position_;
        waiting_ = 0;
    }
    while (waiting_ < enough) {
        TAFFRAIL_ASSIGN(const LogReader::Chunk chunk,
                        log_.read(counted_to_, options_.mask, enough - waiting_));
        if (chunk.next == counted_to_) {
            return false;
        }
        waiting_ += chunk.records.size();
        counted_to_ = chunk.next;
    }
    return true;
}

void Delivery::fail(const Error& error, Time now) {
    if (!failure_) {
        diagnose_once(
            DiagnosticLevel::Warning, "sink." + options_.sink_name + ".failed",
            options_.sink_name +
                " does not take records now; they are kept and tried again: " + error.message);
    }
    failure_ = error;
    not_before_ = now + pause_;
    pause_ = std::min(pause_ * 2, options_.longest_pause);
}

Delivery::Time Delivery::step(Time now) {
    if (now < not_before_) {
        return not_before_;
    }
    if (auto opened = open(); !opened.ok()) {
        fail(opened.error(), now);
        return not_before_;
    }
    bool due = now >= next_flush_ || failure_.has_value();
    if (!due) {
        auto enough = enough_waiting();
        due = enough.ok() && *enough;
    }
    if (!due) {
        return next_flush_;
    }
    for (bool more = true; more;) {
        if (auto done = deliver_chunk(more); !done.ok()) {
            fail(done.error(), now);
            return not_before_;
        }
    }
    sink_.tick();
    failure_.reset();
    pause_ = options_.first_pause;
    next_flush_ = now + sink_.flush_interval();
    return next_flush_;
}

Result<void> Delivery::drain() {
    TAFFRAIL_TRY(open());
    for (bool more = true; more;) {
        TAFFRAIL_TRY(deliver_chunk(more));
    }
    failure_.reset();
    return noted_ != position_ ? note_position() : Result<void>();
}

Result<void> Delivery::close(RunState state) {
    TAFFRAIL_TRY(open());
    Result<void> closed = sink_.close(state);
    const std::string unclosed = unclosed_path(options_.cursor_path);
    if (!closed.ok()) {
        // The log is delivered to its end, so nothing else would tell that there is work left.
        (void)io::write_file_atomically(unclosed, {}, false);
    } else if (io::exists(unclosed)) {
        (void)io::remove(unclosed);
    }
    return closed;
}

}  // namespace taffrail::record
