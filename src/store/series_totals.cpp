#include "store/series_totals.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::storage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Extent {
    double min = kInfinity, max = -kInfinity, sum = 0;
    std::uint64_t nan_count = 0, positive_infinity_count = 0, negative_infinity_count = 0;
};

// Four lanes, so that the additions do not wait for each other; comparisons with NaN are false and
// leave the lane alone.
Extent extent_of(std::span<const double> values) noexcept {
    constexpr std::size_t kLanes = 4;
    Extent lanes[kLanes];
    const std::size_t even = values.size() / kLanes * kLanes;
    auto take = [](Extent& lane, double value) {
        lane.min = value < lane.min ? value : lane.min;
        lane.max = value > lane.max ? value : lane.max;
        lane.sum += std::abs(value) < kInfinity ? value : 0.0;
        lane.nan_count += value != value ? 1 : 0;
        lane.positive_infinity_count += value == kInfinity ? 1 : 0;
        lane.negative_infinity_count += value == -kInfinity ? 1 : 0;
    };
    for (std::size_t i = 0; i < even; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            take(lanes[lane], values[i + lane]);
        }
    }
    for (std::size_t i = even; i < values.size(); ++i) {
        take(lanes[0], values[i]);
    }
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
        lanes[0].min = std::fmin(lanes[0].min, lanes[lane].min);
        lanes[0].max = std::fmax(lanes[0].max, lanes[lane].max);
        lanes[0].sum += lanes[lane].sum;
        lanes[0].nan_count += lanes[lane].nan_count;
        lanes[0].positive_infinity_count += lanes[lane].positive_infinity_count;
        lanes[0].negative_infinity_count += lanes[lane].negative_infinity_count;
    }
    return lanes[0];
}

// min and max mean nothing until a point that is not NaN arrived.
void take_extent(SeriesSummary& summary, const Extent& extent, std::uint64_t count) noexcept {
    const bool had_values = summary.count > summary.nan_count;
    const bool has_values = count > extent.nan_count;
    if (has_values) {
        summary.min = had_values ? std::fmin(summary.min, extent.min) : extent.min;
        summary.max = had_values ? std::fmax(summary.max, extent.max) : extent.max;
    }
    summary.sum += extent.sum;
    summary.nan_count += extent.nan_count;
    summary.positive_infinity_count += extent.positive_infinity_count;
    summary.negative_infinity_count += extent.negative_infinity_count;
}

// Before the points are counted: the first ones set the range.
void take_steps(SeriesSummary& summary, Step smallest, Step largest) noexcept {
    const bool fresh = summary.count == 0;
    summary.first_step = fresh ? smallest : std::min(summary.first_step, smallest);
    summary.last_step = fresh ? largest : std::max(summary.last_step, largest);
}

}  // namespace

bool any_hidden(const tlog::Axes& axes) noexcept {
    std::uint32_t all = 0;
    for (const std::uint32_t route : axes.route) {
        all |= route;
    }
    return (all & tlog::kHidden) != 0;
}

void SeriesTotals::add(double value, Step step, std::int64_t time_ns, std::uint64_t seq) noexcept {
    const Extent extent = extent_of({&value, 1});
    take_extent(summary, extent, 1);
    if (summary.count == 0) {
        summary.first_time_ns = time_ns;
    }
    take_steps(summary, step, step);
    ++summary.count;
    if (seq >= last_seq) {
        summary.last = value;
        summary.last_time_ns = time_ns;
        last_seq = seq;
    }
}

void SeriesTotals::add(std::span<const double> values, const tlog::Axes& axes,
                       bool hidden_rows) noexcept {
    if (values.empty()) {
        return;
    }
    if (hidden_rows) {
        for (std::size_t row = 0; row < values.size(); ++row) {
            if ((axes.route[row] & tlog::kHidden) == 0) {
                add(values[row], axes.step[row], axes.time_ns[row], axes.seq[row]);
            }
        }
        return;
    }
    take_extent(summary, extent_of(values), values.size());
    if (summary.count == 0) {
        summary.first_time_ns = axes.time_ns.front();
    }
    const auto [smallest, largest] = std::ranges::minmax(axes.step);
    take_steps(summary, smallest, largest);
    summary.count += values.size();
    if (axes.seq.back() >= last_seq) {
        summary.last = values.back();
        summary.last_time_ns = axes.time_ns.back();
        last_seq = axes.seq.back();
    }
}

void SeriesTotals::merge(const SeriesSummary& later) noexcept {
    if (later.count == 0) {
        return;
    }
    take_extent(summary,
                {later.min, later.max, later.sum, later.nan_count, later.positive_infinity_count,
                 later.negative_infinity_count},
                later.count);
    take_steps(summary, later.first_step, later.last_step);
    if (summary.count == 0 || later.first_time_ns < summary.first_time_ns) {
        summary.first_time_ns = later.first_time_ns;
    }
    if (summary.count == 0 || later.last_time_ns >= summary.last_time_ns) {
        summary.last = later.last;
        summary.last_time_ns = later.last_time_ns;
    }
    summary.count += later.count;
}

}  // namespace taffrail::storage
