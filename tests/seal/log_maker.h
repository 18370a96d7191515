// Writes live logs for the tests, and remembers every point that went in.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "io/files.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::seal::testing {

class LogMaker {
  public:
    explicit LogMaker(tlog::FileIdentity identity) : identity_(std::move(identity)) {
        encoder_.begin_file(identity_.writer * 31 + identity_.file_number);
        Bytes payload;
        tlog::encode_identity(payload, identity_);
        frame(tlog::FrameType::Header, payload, 0, 0);
    }

    /// One batch of `rows` rows with `keys` in each; value = f(key, row).
    template <typename ValueOf>
    void wide(const std::vector<std::string>& keys, std::size_t rows, ValueOf value_of) {
        tlog::Batch batch;
        std::vector<std::uint32_t> ids;
        for (const std::string& key : keys) {
            ids.push_back(id_of(key, batch));
        }
        batch.schemas.push_back(
            {1000 + ids.front() * 100 + static_cast<std::uint32_t>(ids.size()), ids});
        Columns columns(*this, rows);
        std::vector<std::vector<double>> values(keys.size());
        for (std::size_t column = 0; column < keys.size(); ++column) {
            for (std::size_t row = 0; row < rows; ++row) {
                values[column].push_back(value_of(column, columns.step[row]));
                note(keys[column], columns, row, values[column].back());
            }
        }
        tlog::WideRows wide{batch.schemas[0].id, columns.axes(), {}};
        for (const auto& column : values) {
            wide.columns.emplace_back(column);
        }
        batch.wide.push_back(wide);
        write(batch, rows);
    }

    template <typename ValueOf>
    void lone(const std::vector<std::string>& keys, std::size_t rows, ValueOf value_of) {
        tlog::Batch batch;
        std::vector<std::uint32_t> ids, key;
        for (const std::string& name : keys) {
            ids.push_back(id_of(name, batch));
        }
        Columns columns(*this, rows);
        std::vector<double> values;
        for (std::size_t row = 0; row < rows; ++row) {
            key.push_back(ids[row % ids.size()]);
            values.push_back(value_of(row % ids.size(), columns.step[row]));
            note(keys[row % ids.size()], columns, row, values.back());
        }
        batch.long_rows.push_back({key, columns.axes(), values});
        write(batch, rows);
    }

    void value(const std::string& key, Kind kind, Bytes metadata,
               std::vector<tlog::BlobPlace> blobs = {}) {
        tlog::Batch batch;
        tlog::ValueRecord record;
        record.key = id_of(key, batch, kind);
        record.kind = kind;
        record.seq = next_seq_++;
        record.step = next_step_++;
        record.time_ns = time_of(record.step);
        record.epoch = std::nan("");
        record.metadata = metadata;
        record.blobs = std::move(blobs);
        batch.values.push_back(record);
        write(batch, 1, record.seq);
    }

    void meta(tlog::MetaType type, std::string_view text) {
        tlog::Batch batch;
        batch.meta.push_back({type, next_seq_, 5, as_bytes(text)});
        write(batch, 0);
    }

    void end() {
        Bytes payload;
        tlog::encode_end(payload, {tlog::EndReason::Finished, RunState::Finished, 7});
        frame(tlog::FrameType::End, payload, 0, next_seq_);
    }

    /// Goes on with the writer's next file; `repeat` rows of it are written there again.
    void set_route(std::uint32_t route) { route_ = route; }

    void set_next_step(Step step) { next_step_ = step; }

    void set_next_seq(std::uint64_t seq) { next_seq_ = seq; }

    void set_epoch(std::optional<double> epoch) { epoch_ = epoch; }

    void set_phase(Phase phase) { phase_ = phase; }

    void set_recording(bool on) { recording_ = on; }

    [[nodiscard]] std::uint64_t next_seq() const { return next_seq_; }

    void save(const std::string& path) const {
        io::open(path, io::OpenMode::Truncate).value()->append(bytes_).value();
    }

    std::map<std::string, std::vector<Point>> points;

  private:
    static std::int64_t time_of(Step step) {
        return 1'700'000'000'000'000'000 + step * 1'000'000 + (step * step) % 777;
    }

    struct Columns {
        Columns(LogMaker& maker, std::size_t rows) {
            for (std::size_t i = 0; i < rows; ++i) {
                seq.push_back(maker.next_seq_++);
                step.push_back(maker.next_step_++);
                time.push_back(time_of(step.back()));
                epoch.push_back(maker.epoch_ ? *maker.epoch_ + static_cast<double>(i) / 1000
                                             : std::nan(""));
                samples.push_back(maker.epoch_ ? step.back() * 32 : INT64_MIN);
                phase.push_back(static_cast<std::uint8_t>(maker.phase_));
                route.push_back(maker.route_);
            }
        }

        [[nodiscard]] tlog::Axes axes() const {
            return {seq, step, time, epoch, samples, phase, route};
        }

        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time, samples;
        std::vector<double> epoch;
        std::vector<std::uint8_t> phase;
        std::vector<std::uint32_t> route;
    };

    void note(const std::string& key, const Columns& columns, std::size_t row, double value) {
        if (recording_) {
            points[key].push_back({columns.step[row], columns.time[row], value, columns.epoch[row],
                                   columns.samples[row], identity_.attempt, identity_.rank, phase_,
                                   identity_.writer, columns.seq[row]});
        }
    }

    std::uint32_t id_of(const std::string& key, tlog::Batch& batch, Kind kind = Kind::Scalar) {
        const auto [at, added] = ids_.try_emplace(key, static_cast<std::uint32_t>(ids_.size() + 1));
        if (added) {
            batch.keys.push_back({at->second, kind, at->first});
        }
        return at->second;
    }

    void write(tlog::Batch& batch, std::size_t rows,
               std::optional<std::uint64_t> first = std::nullopt) {
        batch.first_seq = first.value_or(next_seq_ - rows);
        batch.rows = static_cast<std::uint32_t>(rows);
        Bytes payload;
        tlog::encode_batch(payload, batch);
        frame(tlog::FrameType::Batch, payload, batch.rows, batch.first_seq);
    }

    void frame(tlog::FrameType type, ByteSpan payload, std::uint32_t rows,
               std::uint64_t first_seq) {
        encoder_.append_frame(bytes_, encoder_.store(type, payload, rows, first_seq));
    }

    tlog::FileIdentity identity_;
    tlog::FrameEncoder encoder_;
    Bytes bytes_;
    std::map<std::string, std::uint32_t> ids_;
    std::uint64_t next_seq_ = 0;
    Step next_step_ = 0;
    std::optional<double> epoch_;
    Phase phase_ = Phase::Train;
    std::uint32_t route_ = kAllSinks;
    bool recording_ = true;
};

}  // namespace taffrail::seal::testing
