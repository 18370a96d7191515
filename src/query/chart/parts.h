// The two ways a chart is answered, and what they share: bins of a pyramid where one knows the
// answer, every point where not.
#pragma once

#include "query/chart/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::query {

/// A pair of run and key (or the expression) that exists.
struct Wanted {
    int run = 0, key = 0;
    std::shared_ptr<const RunDetails> details;
    const KeyInfo* info = nullptr;          ///< null for an expression
    std::optional<std::int32_t> rank = {};  ///< only its points
};

/// The part of an axis that a chart's series cover; empty (from above to) before any did.
struct Extent {
    double from = std::numeric_limits<double>::infinity();
    double to = -std::numeric_limits<double>::infinity();

    [[nodiscard]] bool known() const { return from <= to; }

    /// A value that is no number changes nothing.
    void include(double low, double high) {
        if (std::isfinite(low) && std::isfinite(high)) {
            from = std::min(from, low);
            to = std::max(to, high);
        }
    }
};

/// Bins of a chart over a range: its width, unless it asks for a size (`bin`) instead of a number.
std::size_t width_for(const ChartQuery& chart, double from, double to);

struct ChosenPoints {
    std::vector<Point> winning;
    /// What later attempts superseded, by attempt.
    std::vector<std::pair<std::uint32_t, std::vector<Point>>> superseded;
};

/// The points of a series that count; of an expression, where every key has a point. Superseded
/// ones only where all attempts are asked for.
ChosenPoints chosen_points(RunSet& runs, const std::string& run_id, const std::string& key,
                           const std::string& expression, std::optional<std::int32_t> rank,
                           Attempts attempts);

/// Points of the metric that is the x axis; none for any other axis.
std::vector<Point> metric_points(RunSet& runs, const std::string& run_id, const AxisQuery& axis,
                                 std::optional<std::int32_t> rank);

/// Returns the range that was used.
AxisQuery answer_from_pyramids(RunSet& runs, const ChartQuery& chart,
                               const std::vector<Wanted>& pairs, ChartAnswer& answer);

/// Adds the series of `pairs`. `used` holds the range of those that are there already, and takes in
/// that of these.
void answer_from_points(RunSet& runs, const ChartQuery& chart, const std::vector<Wanted>& pairs,
                        AxisQuery& used, ChartAnswer& answer);

}  // namespace taffrail::query
