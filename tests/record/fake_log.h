// A log in memory for tests of the recording side: keeps every row, fails on demand.
#pragma once

#include "io/temporary_folder.h"
#include "record/recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace taffrail::test {

struct Point {
    std::uint64_t seq = 0;
    Step step = 0;
    std::int64_t time_ns = 0;
    double epoch = 0;
    std::int64_t samples = 0;
    std::uint8_t phase = 0;
    std::uint32_t route = 0;
    double value = 0;
};

struct StoredValue {
    std::uint64_t seq = 0;
    Step step = 0;
    std::string metadata;
    std::vector<std::string> blobs;
};

/// What a log was given, by key. Shared between the test and the writer.
struct FakeLogContent {
    std::mutex mutex;
    std::map<std::uint32_t, std::string> names;
    std::map<std::uint32_t, std::vector<std::uint32_t>> schemas;
    std::map<std::string, std::vector<Point>> points;
    std::map<std::string, std::vector<StoredValue>> values;
    std::vector<std::pair<tlog::MetaType, std::string>> meta;
    std::string console;
    std::map<std::uint32_t, std::uint64_t> positions;
    std::vector<tlog::Gap> gaps;
    std::map<std::uint64_t, tlog::SpoolEntry> pending;
    std::uint64_t next_seq = 1;
    std::size_t appends = 0, syncs = 0;
    bool closed = false;
    std::atomic<bool> fail{false};
    std::atomic<bool> stall{false};

    void take(const tlog::Batch& batch) {
        const std::lock_guard guard(mutex);
        ++appends;
        for (const auto& key : batch.keys) {
            names[key.id] = key.name;
        }
        for (const auto& schema : batch.schemas) {
            schemas[schema.id] = schema.keys;
        }
        for (const auto& rows : batch.wide) {
            const auto& keys = schemas.at(rows.schema);
            for (std::size_t column = 0; column < keys.size(); ++column) {
                for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
                    add(keys[column], rows.axes, row, rows.columns[column][row]);
                }
            }
        }
        for (const auto& rows : batch.long_rows) {
            for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
                add(rows.key[row], rows.axes, row, rows.value[row]);
            }
        }
        for (const auto& value : batch.values) {
            StoredValue stored{value.seq, value.step, std::string(as_text(value.metadata)), {}};
            for (const auto& blob : value.blobs) {
                stored.blobs.emplace_back(as_text(blob.bytes));
            }
            values[names.at(value.key)].push_back(std::move(stored));
        }
        for (const auto& entry : batch.meta) {
            meta.emplace_back(entry.type, as_text(entry.payload));
        }
        for (const auto& chunk : batch.console) {
            console += chunk.text;
        }
        for (const auto& position : batch.ring_positions) {
            positions[position.ring] = position.position;
        }
        gaps.insert(gaps.end(), batch.gaps.begin(), batch.gaps.end());
        for (const auto& entry : batch.spool_pending) {
            pending[entry.seq] = entry;
        }
        for (std::uint64_t seq : batch.spool_done) {
            pending.erase(seq);
        }
        if (batch.first_seq != next_seq) {
            ADD_FAILURE() << "batch starts at row " << batch.first_seq << ", expected " << next_seq;
        }
        next_seq = batch.first_seq + batch.rows;
    }

    std::vector<Point> of(const std::string& key) {
        const std::lock_guard guard(mutex);
        return points[key];
    }

  private:
    void add(std::uint32_t key, const tlog::Axes& axes, std::size_t row, double value) {
        points[names.at(key)].push_back({axes.seq[row], axes.step[row], axes.time_ns[row],
                                         axes.epoch[row], axes.samples[row], axes.phase[row],
                                         axes.route[row], value});
    }
};

class FakeLog final : public record::LogWriter {
  public:
    explicit FakeLog(std::shared_ptr<FakeLogContent> content) : content_(std::move(content)) {}

    Result<void> append(const tlog::Batch& batch) override {
        while (content_->stall) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (content_->fail) {
            return Error{ErrorCode::NoSpace, "the test disk is full"};
        }
        content_->take(batch);
        return {};
    }

    Result<void> sync() override {
        ++content_->syncs;
        return {};
    }

    Result<tlog::BlobPlace> put_blob(ByteSpan bytes, const BlobRef& ref) override {
        tlog::BlobPlace place;
        place.ref = ref;
        place.bytes = bytes;
        return place;
    }

    Result<void> close(RunState) override {
        content_->closed = true;
        return {};
    }

    [[nodiscard]] std::uint64_t bytes_written() const noexcept override { return 0; }

  private:
    std::shared_ptr<FakeLogContent> content_;
};

/// A recorder over a fake log, in a folder of its own.
class Recording {
  public:
    explicit Recording(record::RecorderOptions options = {}) {
        recorder = &record::Recorder::create(
            options, [this]() -> Result<record::SessionParts> { return parts(); });
        recorder->start(parts()).value();
    }

    ~Recording() { (void)recorder->finish(RunState::Finished, std::chrono::seconds(10)); }

    detail::RowCore& row(std::initializer_list<std::string_view> names) {
        return *recorder->keys().row(std::span(names.begin(), names.size()));
    }

    void log(detail::RowCore& core, Step step, std::initializer_list<double> values) const {
        recorder->log(core, step, values.begin());
    }

    void flush() const { recorder->flush(false, std::chrono::seconds(20)).value(); }

    std::vector<Point> points(const std::string& key) const {
        flush();
        return content->of(key);
    }

    record::SessionParts parts() {
        record::SessionParts made;
        made.identity = record::make_identity("test-run");
        made.ring_folder = folder.file("ring");
        (void)io::make_directories(made.ring_folder);
        made.log = std::make_unique<FakeLog>(content);
        made.encode = [](Kind, ByteSpan raw) -> Result<record::EncodedValue> {
            record::EncodedValue encoded;
            encoded.metadata.assign(raw.begin(), raw.end());
            return encoded;
        };
        return made;
    }

    TemporaryFolder folder;
    std::shared_ptr<FakeLogContent> content = std::make_shared<FakeLogContent>();
    record::Recorder* recorder = nullptr;
};

}  // namespace taffrail::test
