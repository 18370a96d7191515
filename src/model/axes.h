// The x columns of a series in memory. Series logged in the same rows share one table of them.
#pragma once

#include <taffrail/reader.h>

#include "model/packed_column.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace taffrail::model {

/// Positions of new points; spans are equally long. Absent epoch is NaN, absent samples INT64_MIN;
/// a column that is absent for all of them may be empty.
struct AxisSpans {
    std::span<const Step> step;
    std::span<const std::int64_t> time_ns;
    std::span<const double> epoch = {};
    std::span<const std::int64_t> samples = {};
};

/// A column with what the search needs: every 512th value apart, so that a search from far away
/// stays in cache.
template <typename T>
struct AxisColumn {
    PackedColumn<T> values;
    std::vector<T> coarse;
    bool rising = true;       ///< never falls (as doubles) and is never absent
    T smallest{}, largest{};  ///< of the values there are
};

/// Grows with the run. Reading is safe from any number of threads; append() must be alone.
class AxisTable {
  public:
    void append(const AxisSpans& spans);

    [[nodiscard]] std::uint64_t points() const noexcept { return step_.values.size(); }

    [[nodiscard]] const AxisColumn<std::int64_t>& step() const noexcept { return step_; }

    [[nodiscard]] const AxisColumn<std::int64_t>& time() const noexcept { return time_; }

    /// Empty columns: no point had one.
    [[nodiscard]] const AxisColumn<double>& epoch() const noexcept { return epoch_; }

    [[nodiscard]] const AxisColumn<std::int64_t>& samples() const noexcept { return samples_; }

    /// The positions on an axis as doubles, NaN where absent. Not for Axis::Metric.
    [[nodiscard]] std::vector<double> positions(Axis axis, std::int64_t origin_ns) const;

  private:
    AxisColumn<std::int64_t> step_, time_, samples_;
    AxisColumn<double> epoch_;
};

/// a - b without overflow at the ends of the range.
inline double difference(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t exact = 0;
    return __builtin_sub_overflow(a, b, &exact) ? static_cast<double>(a) - static_cast<double>(b)
                                                : static_cast<double>(exact);
}

inline double difference(double a, double b) noexcept {
    return a - b;
}

/// Position of a point on an axis, NaN where it has none. `origin_ns` is the zero of RelativeTime.
/// Not for Axis::Metric.
double position_of(const Point& point, Axis axis, std::int64_t origin_ns) noexcept;

/// Positions on another metric: for each point of `series` the value `metric` had in the same row
/// at this step, else its newest value at the step (of the same writer if there is one), else NaN.
std::vector<double> metric_positions(std::span<const Point> series, std::span<const Point> metric);

}  // namespace taffrail::model
