// Builds small logs in memory whose every value is a function of (writer, series, seq), so that a
// verifier can name each missing, doubled or altered point.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tlog/frame_encoder.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace taffrail::tlog {

/// The value series `key` has at row `seq`: any bits, NaN payloads included.
double oracle_value(std::uint64_t writer, std::uint32_t key, std::uint64_t seq);

/// Rows of three wide keys and lone scalars of two further keys, with the memory their spans point
/// into.
class OracleBatch {
  public:
    OracleBatch(std::uint64_t writer, std::uint64_t first_seq, std::size_t rows);

    [[nodiscard]] const Batch& batch() const { return batch_; }

  private:
    struct Columns {
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns, samples;
        std::vector<double> epoch;
        std::vector<std::uint8_t> phase;
        std::vector<std::uint32_t> route;

        [[nodiscard]] Axes axes() const {
            return {seq, step, time_ns, epoch, samples, phase, route};
        }

        void add(std::uint64_t row);
    };

    Columns wide_, lone_;
    std::vector<std::vector<double>> wide_values_;
    std::vector<std::uint32_t> lone_keys_;
    std::vector<double> lone_values_;
    Batch batch_;
};

inline constexpr std::uint64_t kWriter = 0xFEED0001;

/// A whole file: header, definitions, `batches` batches of `rows` rows, checkpoints now and then,
/// end frame.
struct BuiltLog {
    Bytes bytes;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> frames;  ///< offset and length of each
    std::uint64_t rows = 0;
};

BuiltLog build_log(std::size_t batches, std::size_t rows, std::uint64_t nonce = 77);

/// What came back: row number, key, bits of the value; sorted.
using Points = std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>>;
Points expected_points(std::uint64_t rows);

/// Scans and decodes with the product's code.
struct ReadBack {
    Points points;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> missing_rows;  ///< first, end
    std::uint64_t damaged_bytes = 0;
    std::size_t damaged_ranges = 0, duplicates = 0, frames = 0;
    std::uint64_t pending_bytes = 0;
    bool doubled = false, ended = false;
};

ReadBack read_back(ByteSpan file, std::size_t window_bytes = SIZE_MAX);

}  // namespace taffrail::tlog
