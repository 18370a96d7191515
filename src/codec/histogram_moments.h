// What trackers leave out of a histogram.
#pragma once

#include <taffrail/value.h>

#include <cstddef>

namespace taffrail {

/// Extremes and sums as the bins tell them: each value counts as the middle of its bin. There is
/// one edge more than there are counts, and at least one count.
inline void set_moments_by_bins(Histogram& histogram) {
    histogram.min = histogram.edges.front();
    histogram.max = histogram.edges.back();
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double middle = (histogram.edges[i] + histogram.edges[i + 1]) / 2;
        histogram.sum += middle * histogram.counts[i];
        histogram.sum_squares += middle * middle * histogram.counts[i];
    }
}

}  // namespace taffrail
