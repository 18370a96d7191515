// How a SeriesSummary comes about: the one place that adds points to it and makes one of two.
#pragma once

#include <taffrail/read.h>
#include <taffrail/series_summary.h>

#include "model/number_sums.h"

#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::model {

/// The next values in log order: counts, extremes, sum and last. Steps and times are add_steps()'.
void add_values(SeriesSummary& summary, std::span<const double> values) noexcept;
/// The same where their sums are known already.
void add_values(SeriesSummary& summary, std::span<const double> values,
                const NumberSums& sums) noexcept;

/// Where the next points lie. Before their values are added: the first points set the range.
void add_steps(SeriesSummary& summary, Step smallest, Step largest) noexcept;

/// The next point in log order, altogether.
void add_point(SeriesSummary& summary, double value, Step step, std::int64_t time_ns) noexcept;

/// Of points in log order without those whose flag is set; an empty `left_out` leaves out none.
SeriesSummary summary_without(std::span<const Point> points, const std::vector<bool>& left_out);

/// Points of another file or writer. `last` is that of whichever ends later, so join summaries in
/// the order of their ends.
void merge(SeriesSummary& into, const SeriesSummary& other) noexcept;

/// All of them as one, whatever their order.
SeriesSummary merged(std::vector<SeriesSummary> parts);

/// True for summaries of files of older versions, in which infinities count as extremes and `last`
/// may be no number: then only the points tell. Where nothing is finite, or all is, the two
/// meanings agree.
bool is_of_all_points(const SeriesSummary& summary) noexcept;

/// No number where there is none: older versions wrote whatever stood there.
void clear_numbers_of_nothing(SeriesSummary& summary) noexcept;

}  // namespace taffrail::model
