// The binary reply of series:query: one frame per chart (docs/api/frame.md).
#pragma once

#include <taffrail/value.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::server {

/// One series of a chart, ready to be written. All vectors but `x` have one element per bin; empty
/// ones are absent.
struct FrameSeries {
    int run = -1;  ///< number in Frame::runs, -1 for a group
    int key = 0;
    int group = -1;
    std::int32_t rank = -1;   ///< the only one whose points these are; -1: no matter whose
    std::uint32_t ranks = 1;  ///< how many the mean is of
    std::uint32_t attempt = 0;
    bool current = true;
    bool raw = false;
    std::uint64_t points = 0, total = 0;
    std::optional<double> last_x;
    double last_value = 0;
    std::vector<double> x;  ///< bins + 1
    std::vector<double> min, max, mean, last, smooth, low, high;
    std::vector<std::uint32_t> count, runs;
    std::vector<std::uint32_t> nan, positive_infinity, negative_infinity;

    [[nodiscard]] std::size_t bins() const noexcept { return count.size(); }
};

struct FrameGroup {
    std::string label;
    std::vector<Cell> values;
    std::vector<std::string> runs;
};

enum class Precision : std::uint8_t { Auto, F32, Q16 };
enum class AxisScale : std::uint8_t { Linear, Log, Symlog };

struct Frame {
    std::string chart;
    std::uint64_t revision = 0;
    std::string x_json;  ///< AxisQuery with the range that was used
    AxisScale y_scale = AxisScale::Linear;
    std::vector<std::string> runs, keys;
    std::vector<FrameGroup> groups;
    bool grouped = false;
    std::vector<FrameSeries> series;
    std::uint64_t missing = 0, outside = 0;
    double query_ms = 0;
    Precision precision = Precision::Auto;
    bool with_counts = true;
    bool share_x = false;    ///< series with equal x send it once
    std::string error_json;  ///< then there are no series
};

std::string_view to_string(AxisScale scale) noexcept;
double to_scale(AxisScale scale, double value) noexcept;
double from_scale(AxisScale scale, double value) noexcept;

/// The frame as bytes.
std::string encode_frame(const Frame& frame);

}  // namespace taffrail::server
