// A sink and a log reader under the test's control.
#pragma once

#include <taffrail/sink.h>

#include "record/log_writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace taffrail::test {

/// What sinks were given; outlives them.
struct SinkContent {
    std::mutex mutex;
    std::vector<std::string> keys;
    std::vector<double> values;
    std::vector<std::uint64_t> writers;
    std::size_t opens = 0, flushes = 0, closes = 0, writes = 0;
    std::atomic<bool> fail_open{false}, fail_write{false}, hang{false};
    std::atomic<std::size_t> take_before_failing{0};
    std::size_t flush_records = 0;
    std::chrono::milliseconds flush_interval{2000};
    SinkContext context;  ///< of the newest open()
};

class FakeSink final : public Sink {
  public:
    explicit FakeSink(std::shared_ptr<SinkContent> content) : content_(std::move(content)) {}

    Result<void> open(const SinkContext& context) override {
        ++content_->opens;
        content_->context = context;
        return content_->fail_open ? Result<void>(Error{ErrorCode::Unavailable, "nobody listens"})
                                   : Result<void>();
    }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        while (content_->hang) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const std::lock_guard guard(content_->mutex);
        ++content_->writes;
        for (const Record& record : records) {
            if (content_->fail_write && delivered >= content_->take_before_failing) {
                return Error{ErrorCode::Unavailable, "the connection broke"};
            }
            content_->keys.emplace_back(record.key);
            content_->values.push_back(record.scalar);
            content_->writers.push_back(record.writer);
            ++delivered;
        }
        return {};
    }

    Result<void> flush() override {
        ++content_->flushes;
        return {};
    }

    Result<void> close(RunState) override {
        ++content_->closes;
        return {};
    }

    [[nodiscard]] bool accepts(Kind kind) const noexcept override { return kind != Kind::Image; }

    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override {
        return content_->flush_interval;
    }

    [[nodiscard]] std::size_t flush_records() const noexcept override {
        return content_->flush_records;
    }

  private:
    std::shared_ptr<SinkContent> content_;
};

/// A log of frames with ten records each; position = (0, frame, record in it).
class FakeReader final : public record::LogReader {
  public:
    struct Content {
        std::mutex mutex;
        std::vector<Record> records;
        bool ended = false;
    };

    static constexpr std::size_t kFrame = 10;

    explicit FakeReader(std::shared_ptr<Content> content) : content_(std::move(content)) {}

    Result<Chunk> read(record::LogPosition from, RouteMask mask, std::size_t) override {
        const std::lock_guard guard(content_->mutex);
        Chunk chunk;
        chunk.next = chunk.start = from;
        const std::size_t begin = from.offset * kFrame + from.within;
        const std::size_t end = std::min(content_->records.size(), (from.offset + 1) * kFrame);
        if (begin >= end) {
            return chunk;
        }
        for (std::size_t i = begin; i < end; ++i) {
            if ((content_->records[i].route & mask) != 0) {
                chunk.records.push_back(content_->records[i]);
            }
        }
        chunk.next = end % kFrame == 0
                         ? record::LogPosition{0, from.offset + 1, 0}
                         : record::LogPosition{0, from.offset, end - from.offset * kFrame};
        return chunk;
    }

    bool at_end(record::LogPosition at) override {
        const std::lock_guard guard(content_->mutex);
        return content_->ended && at.offset * kFrame + at.within >= content_->records.size();
    }

  private:
    std::shared_ptr<Content> content_;
};

}  // namespace taffrail::test
