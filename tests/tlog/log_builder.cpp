#include "tlog/log_builder.h"

#include "codec/tlog/decode.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/payload.h"
#include "codec/tlog/scanner.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace taffrail::tlog {
namespace {

constexpr std::uint32_t kSchema = 1;
constexpr std::size_t kWidth = 3;

Bytes definitions() {
    Batch batch;
    batch.keys = {{1, Kind::Scalar, "train/loss"},
                  {2, Kind::Scalar, "train/acc"},
                  {3, Kind::Scalar, "lr"},
                  {4, Kind::Scalar, "gpu"},
                  {5, Kind::Scalar, ""}};
    batch.schemas = {{kSchema, {1, 2, 3}}};
    Bytes payload;
    encode_batch(payload, batch);
    return payload;
}

}  // namespace

double oracle_value(std::uint64_t writer, std::uint32_t key, std::uint64_t seq) {
    std::uint64_t bits = (writer * 31 + key) * 0x9E3779B97F4A7C15ull + seq * 0xD1B54A32D192ED03ull;
    bits ^= bits >> 29;
    if (key == 1) {  // a plausible float32 series
        return static_cast<float>(bits >> 40) * 1e-6f;
    }
    return std::bit_cast<double>(bits * 0x94D049BB133111EBull);
}

void OracleBatch::Columns::add(std::uint64_t row) {
    seq.push_back(row);
    step.push_back(static_cast<std::int64_t>(row) * 10);
    time_ns.push_back(1'700'000'000'000'000'000 + static_cast<std::int64_t>(row * 1'000'003));
    samples.push_back(row % 3 == 0 ? INT64_MIN : static_cast<std::int64_t>(row));
    epoch.push_back(static_cast<double>(row) / 100);
    phase.push_back(static_cast<std::uint8_t>(row % 2));
    route.push_back(kAllSinks);
}

OracleBatch::OracleBatch(std::uint64_t writer, std::uint64_t first_seq, std::size_t rows)
    : wide_values_(kWidth) {
    for (std::uint64_t seq = first_seq; seq < first_seq + rows; ++seq) {
        if (seq % 4 == 3) {
            const auto key = static_cast<std::uint32_t>(4 + seq / 4 % 2);
            lone_.add(seq);
            lone_keys_.push_back(key);
            lone_values_.push_back(oracle_value(writer, key, seq));
            continue;
        }
        wide_.add(seq);
        for (std::uint32_t key = 1; key <= kWidth; ++key) {
            wide_values_[key - 1].push_back(oracle_value(writer, key, seq));
        }
    }
    WideRows wide{kSchema, wide_.axes(), {}};
    for (const auto& column : wide_values_) {
        wide.columns.emplace_back(column);
    }
    batch_.wide.push_back(wide);
    batch_.long_rows.push_back({lone_keys_, lone_.axes(), lone_values_});
    batch_.ring_positions = {{0, first_seq + rows}};
    batch_.first_seq = first_seq;
    batch_.rows = static_cast<std::uint32_t>(rows);
}

BuiltLog build_log(std::size_t batches, std::size_t rows, std::uint64_t nonce) {
    BuiltLog log;
    FrameEncoder encoder;
    encoder.begin_file(nonce);
    auto add = [&](FrameType type, ByteSpan payload, std::uint32_t frame_rows,
                   std::uint64_t first) {
        const std::uint64_t offset = log.bytes.size();
        encoder.append_frame(log.bytes, encoder.store(type, payload, frame_rows, first));
        log.frames.emplace_back(offset, log.bytes.size() - offset);
    };
    Bytes payload;
    FileIdentity identity;
    identity.run_id = "01TEST";
    identity.writer = kWriter;
    encode_identity(payload, identity);
    add(FrameType::Header, payload, 0, 0);
    add(FrameType::Batch, definitions(), 0, 0);
    for (std::size_t i = 0; i < batches; ++i) {
        const OracleBatch batch(kWriter, log.rows, rows);
        payload.clear();
        encode_batch(payload, batch.batch());
        add(FrameType::Batch, payload, static_cast<std::uint32_t>(rows), log.rows);
        log.rows += rows;
        if (i % 8 == 7) {
            Checkpoint checkpoint;
            checkpoint.identity = identity;
            checkpoint.keys = {{1, Kind::Scalar, "train/loss"}};
            payload.clear();
            encode_checkpoint(payload, checkpoint);
            add(FrameType::Checkpoint, payload, 0, log.rows);
        }
    }
    payload.clear();
    encode_end(payload, {EndReason::Finished, RunState::Finished, 5});
    add(FrameType::End, payload, 0, log.rows);
    return log;
}

Points expected_points(std::uint64_t rows) {
    Points points;
    for (std::uint64_t seq = 0; seq < rows; ++seq) {
        if (seq % 4 == 3) {
            const auto key = static_cast<std::uint32_t>(4 + seq / 4 % 2);
            points.emplace_back(seq, key,
                                std::bit_cast<std::uint64_t>(oracle_value(kWriter, key, seq)));
            continue;
        }
        for (std::uint32_t key = 1; key <= kWidth; ++key) {
            points.emplace_back(seq, key,
                                std::bit_cast<std::uint64_t>(oracle_value(kWriter, key, seq)));
        }
    }
    return points;
}

namespace {

void take(ReadBack& result, const Batch& batch) {
    auto put = [&result](std::uint64_t seq, std::uint32_t key, double value) {
        result.points.emplace_back(seq, key, std::bit_cast<std::uint64_t>(value));
    };
    for (const WideRows& rows : batch.wide) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            for (std::size_t column = 0; column < rows.columns.size(); ++column) {
                put(rows.axes.seq[row], static_cast<std::uint32_t>(column + 1),
                    rows.columns[column][row]);
            }
        }
    }
    for (const LongRows& rows : batch.long_rows) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            put(rows.axes.seq[row], rows.key[row], rows.value[row]);
        }
    }
}

}  // namespace

ReadBack read_back(ByteSpan file, std::size_t window_bytes) {
    ReadBack result;
    FrameScanner scanner;
    Decompressor decompressor;
    Bytes scratch;
    DecodedBatch decoded;
    std::size_t want = window_bytes;
    while (true) {
        const ByteSpan rest = file.subspan(static_cast<std::size_t>(scanner.offset()));
        const ByteSpan window = rest.first(std::min(rest.size(), want));
        switch (scanner.next(window, window.size() == rest.size())) {
            case FrameScanner::Outcome::Frame: {
                want = window_bytes;
                ++result.frames;
                const auto payload =
                    payload_of(scanner.frame(), scanner.stored(), decompressor, scratch);
                if (payload && scanner.frame().type == FrameType::Batch &&
                    decoded.decode(*payload)) {
                    take(result, decoded.batch());
                }
                result.ended |= scanner.frame().type == FrameType::End;
                break;
            }
            case FrameScanner::Outcome::Duplicate:
                ++result.duplicates;
                break;
            case FrameScanner::Outcome::Damage:
                ++result.damaged_ranges;
                result.damaged_bytes += scanner.damage().length;
                if (scanner.damage().end_seq > scanner.damage().first_seq) {
                    result.missing_rows.emplace_back(scanner.damage().first_seq,
                                                     scanner.damage().end_seq);
                }
                break;
            case FrameScanner::Outcome::NeedMore:
                want = std::max<std::size_t>(scanner.needed(), window_bytes);
                break;
            case FrameScanner::Outcome::Pending:
                result.pending_bytes = file.size() - scanner.offset();
                std::ranges::sort(result.points);
                for (std::size_t i = 1; i < result.points.size(); ++i) {
                    const auto& [seq, key, bits] = result.points[i];
                    result.doubled |= seq == std::get<0>(result.points[i - 1]) &&
                                      key == std::get<1>(result.points[i - 1]);
                }
                return result;
        }
    }
}

}  // namespace taffrail::tlog
