// Axes of charts drawn without a browser: where values stand, and which of them are marked.
#pragma once

#include "plot/number_text.h"

#include <vector>

namespace taffrail::plot {

enum class Scale : unsigned char { Linear, Log, Symlog };

/// Where a value stands on the axis; NaN where it has no place there.
double to_axis(Scale scale, double value) noexcept;
double from_axis(Scale scale, double place) noexcept;

/// Maps [from, to] to [start, end]; `end` may be smaller (a y axis grows upwards).
struct AxisMap {
    Scale scale = Scale::Linear;
    double from = 0, to = 1;
    double start = 0, end = 1;

    [[nodiscard]] double pixel(double value) const noexcept;
};

/// Nice positions inside [from, to]; about `count` of them. `whole` keeps to whole numbers.
std::vector<double> ticks(Scale scale, double from, double to, int count, bool whole = false);

/// At whole seconds, minutes, hours and days; empty below a second, where decimal ticks are right.
std::vector<double> time_ticks(double from, double to, int count);

/// Of a linear or other axis in its unit.
std::vector<double> axis_ticks(AxisUnit unit, Scale scale, double from, double to, int count,
                               bool whole = false);

}  // namespace taffrail::plot
