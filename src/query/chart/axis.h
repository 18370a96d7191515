// The x axis of a question, in the units people see.
#pragma once

#include <taffrail/reader.h>

#include "query/chart/scale.h"

#include <optional>
#include <string>

namespace taffrail::query {

/// Steps, seconds, epochs, samples or values of a metric.
struct AxisQuery {
    Axis axis = Axis::Steps;
    std::string metric;
    AxisScale scale = AxisScale::Linear;
    std::optional<double> from, to;

    /// Time axes are seconds outside and nanoseconds inside.
    [[nodiscard]] double unit() const noexcept {
        return axis == Axis::WallTime || axis == Axis::RelativeTime ? 1e-9 : 1.0;
    }
};

}  // namespace taffrail::query
