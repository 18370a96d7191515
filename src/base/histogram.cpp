#include <taffrail/value.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail {

Histogram Histogram::from_values(std::span<const double> values, std::size_t bins) {
    Histogram histogram;
    bins = std::max<std::size_t>(bins, 1);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (double value : values) {
        if (std::isnan(value)) {
            ++histogram.nan_count;
        } else if (std::isinf(value)) {
            ++(value > 0 ? histogram.positive_infinity_count : histogram.negative_infinity_count);
        } else {
            low = std::min(low, value);
            high = std::max(high, value);
            histogram.sum += value;
            histogram.sum_squares += value * value;
        }
    }
    if (low > high) {
        return histogram;  // no finite value: no bins
    }
    histogram.min = low;
    histogram.max = high;
    if (low == high) {
        histogram.edges = {low, high};
        histogram.counts = {0};
        bins = 1;
    } else {
        histogram.edges.resize(bins + 1);
        for (std::size_t i = 0; i <= bins; ++i) {
            // Weighted form: high - low may overflow where both ends are huge.
            const double t = static_cast<double>(i) / static_cast<double>(bins);
            histogram.edges[i] = low * (1 - t) + high * t;
        }
        histogram.edges.back() = high;
        histogram.counts.assign(bins, 0);
    }
    for (double value : values) {
        if (!std::isfinite(value)) {
            continue;
        }
        // The computed edge decides, not the division: value and printed edges must never disagree.
        auto after = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), value) -
                     histogram.edges.begin();
        const auto bin =
            std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(bins) - 1);
        histogram.counts[static_cast<std::size_t>(bin)] += 1;
    }
    return histogram;
}

}  // namespace taffrail
