// Bins of a series: the grid a request asks for, and the plain way to fill it.
//
// The grid lies on the transformed axis (log x gets log-spaced bins). A boundary may be moved by
// less than half a bin so that it meets a pyramid node; the reply then carries the moved edge, and
// all numbers are exact for the edges it carries. `stats_on_edges` is the definition of exact; the
// fast path in bin_query.h is tested against it.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "model/bin_stats.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffrail::model {

/// Raw points are returned when there are at most this many per bin asked for.
inline constexpr std::size_t kRawPointsPerBin = 2;
inline constexpr std::size_t kMaxBins = std::size_t{1} << 20;

/// Where the boundaries of a request lie. `boundary[i]` may move within (`earliest[i]`,
/// `latest[i]`).
struct BinGrid {
    std::vector<double> boundary, earliest, latest;  ///< all width + 1 long, non-decreasing

    [[nodiscard]] std::size_t bins() const noexcept { return boundary.size() - 1; }
};

/// Refuses a width of 0 or above kMaxBins, and a range that is not a range.
Result<void> check(const BinRequest& request);

/// The grid of `request` for a series whose positions reach from `first_x` to `last_x` (both > 0 on
/// a log axis).
BinGrid make_grid(const BinRequest& request, double first_x, double last_x);

/// True when a point can be drawn at `x`: finite, and positive on a log axis.
[[nodiscard]] bool has_place(double x, Scale scale) noexcept;

/// Makes room for `count` bins: a chart of a thousand runs asks for a million of them.
void reserve_bins(Bins& bins, std::size_t count);

/// Appends one bin to `bins` (edges not included).
void push_bin(Bins& bins, const BinStats& stats);

/// Bins of points sorted by x on the given edges: bin i takes edges[i] ≤ x < edges[i+1], the last
/// one also x = its end.
Bins stats_on_edges(std::span<const double> x, std::span<const double> value,
                    std::vector<double> edges);

/// Every point as a bin of its own; points sorted by x.
Bins raw_bins(std::vector<double> x, std::span<const double> value);

/// The whole answer from plain arrays in any order, without a pyramid: sorts by x (ties keep their
/// order), then one pass. The reference, and good enough for short series. O(n log n) when
/// unsorted, else O(n).
Result<Bins> bins_of_points(std::span<const double> x, std::span<const double> value,
                            const BinRequest& request);

}  // namespace taffrail::model
