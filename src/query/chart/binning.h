// Points in memory to the bins of a chart: used where a pyramid cannot answer (smoothing, groups,
// expressions, metric axes, symlog, older attempts). The bins are those of model/bins.h.
#pragma once

#include "model/bins.h"
#include "query/chart/answer.h"
#include "query/smoothing.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffrail::query {

/// Where the bins of a chart lie: `width` of equal size between from and to on the transformed
/// axis.
struct ChartGrid {
    AxisScale scale = AxisScale::Linear;
    double from = 0, to = 1;
    std::size_t width = 1;

    [[nodiscard]] std::vector<double> edges() const;
};

/// Takes bins over as a series of a chart, x times `unit`; empty outer bins are left out.
void take_bins(Bins bins, double unit, ChartSeries& series);

/// Fills x, min, max, mean, last, smooth, count, marks and points of `series`. Points with x in
/// [from, to]; at most `raw_limit` of them come raw. Empty outer bins are left out. Where
/// `smoothed` is empty and `smoothing` is_running(), it is worked out on the way.
void bin_points(std::span<const double> x, std::span<const double> y,
                std::span<const double> smoothed, const Smoothing& smoothing, const ChartGrid& grid,
                std::size_t raw_limit, ChartSeries& series);

}  // namespace taffrail::query
