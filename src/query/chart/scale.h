// The axes a chart can have: plain, logarithmic, or logarithmic on both sides of zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace taffrail::query {

enum class AxisScale : std::uint8_t { Linear, Log, Symlog };

std::string_view to_string(AxisScale scale) noexcept;
std::optional<AxisScale> scale_named(std::string_view name) noexcept;
/// Where a value stands on the axis; NaN where it has no place there.
double to_scale(AxisScale scale, double value) noexcept;
double from_scale(AxisScale scale, double value) noexcept;

}  // namespace taffrail::query
