#include "query/chart/scale.h"

#include <cmath>
#include <limits>

namespace taffrail::query {

std::string_view to_string(AxisScale scale) noexcept {
    return scale == AxisScale::Log ? "log" : scale == AxisScale::Symlog ? "symlog" : "linear";
}

std::optional<AxisScale> scale_named(std::string_view name) noexcept {
    for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log, AxisScale::Symlog}) {
        if (name == to_string(scale)) {
            return scale;
        }
    }
    return std::nullopt;
}

double to_scale(AxisScale scale, double value) noexcept {
    switch (scale) {
        case AxisScale::Linear:
            return value;
        case AxisScale::Log:
            return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
        case AxisScale::Symlog:
            return std::copysign(std::log10(1 + std::abs(value)), value);
    }
    return value;
}

double from_scale(AxisScale scale, double value) noexcept {
    switch (scale) {
        case AxisScale::Linear:
            return value;
        case AxisScale::Log:
            return std::pow(10, value);
        case AxisScale::Symlog:
            return std::copysign(std::pow(10, std::abs(value)) - 1, value);
    }
    return value;
}

}  // namespace taffrail::query
