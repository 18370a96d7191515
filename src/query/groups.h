// Several runs as one line with a band: each run gives one sample per bin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail::query {

enum class Centre : std::uint8_t { Mean, Median, Min, Max };
enum class Band : std::uint8_t { None, StandardDeviation, StandardError, Confidence95, MinMax };

std::optional<Centre> centre_named(std::string_view name) noexcept;
std::optional<Band> band_named(std::string_view name) noexcept;

struct GroupPoint {
    double centre = 0, low = 0, high = 0;
    std::uint32_t samples = 0;
};

/// Joins the samples of one bin; NaN samples (a run without points there) do not count. No sample
/// gives NaN.
GroupPoint join(std::span<const double> samples, Centre centre, Band band);

/// Two-sided 97.5 % quantile of Student's t with `degrees` of freedom.
double student_t_975(std::uint32_t degrees) noexcept;

}  // namespace taffrail::query
