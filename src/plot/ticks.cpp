#include "plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace taffrail::plot {
namespace {

constexpr std::size_t kMost = 100;

/// To `digits` significant ones: what is left of 0.1 + 0.2.
double clean(double value, int digits) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.*e", digits - 1, value);
    return std::strtod(text.data(), nullptr);
}

std::vector<double> linear_ticks(double from, double to, int count, bool whole) {
    // Each end by itself: their difference may be more than a double holds.
    const double rough = to / std::max(1, count) - from / std::max(1, count);
    if (!(rough >= 0) || !std::isfinite(rough) || !(to > from)) {
        return {from};
    }
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, kLeast))));
    double step = 10 * power;
    for (const double nice : {1.0, 2.0, 2.5, 5.0}) {
        if (nice * power >= rough * 0.999) {
            step = nice * power;
            break;
        }
    }
    step = std::max(step, kLeast);
    if (whole) {
        step = std::max(1.0, std::floor(step + 0.5));
    }
    std::vector<double> found;
    const double last = std::floor(to / step + 1e-9);
    std::size_t tried = 0;  // ++i changes nothing beyond 2^53
    for (double i = std::ceil(from / step - 1e-9); i <= last && tried < kMost; ++i, ++tried) {
        const double value = clean(i * step, 14);
        // Beyond 14 digits several would read the same; one is enough.
        if (found.empty() || value != found.back()) {
            found.push_back(value == 0 ? 0 : value);
        }
    }
    return found;
}

std::vector<double> log_ticks(double from, double to, double a, double b, int count) {
    const auto stride = std::max<long>(1, std::lround(std::ceil((b - a) / std::max(1, count))));
    const bool fine = b - a <= count / 2.5;
    std::vector<double> found;
    for (long e = std::lround(std::floor(a)); e <= std::lround(std::ceil(b)); ++e) {
        if (e % stride != 0) {
            continue;
        }
        for (const double m : {1.0, 2.0, 5.0}) {
            const double value = clean(m * std::pow(10.0, static_cast<double>(e)), 12);
            if (value >= from * 0.9999 && value <= to * 1.0001 && (m == 1 || fine)) {
                found.push_back(value);
            }
        }
    }
    return found;
}

std::vector<double> symlog_ticks(double from, double to, double a, double b, int count) {
    const auto stride = std::max<long>(1, std::lround(std::ceil((b - a) / std::max(1, count))));
    std::vector<double> found;
    for (long e = std::lround(std::floor(std::max(std::abs(a), std::abs(b)))); e >= 0;
         e -= stride) {
        const double value = std::pow(10.0, static_cast<double>(e));
        if (-value >= from) {
            found.push_back(-value);
        }
        if (value <= to && value >= from) {
            found.push_back(value);
        }
    }
    if (from <= 0 && to >= 0) {
        found.push_back(0);
    }
    std::ranges::sort(found);
    return found;
}

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr std::array<double, 25> kTimeSteps{
    1,         2,           5,           10,           15,           30,
    kMinute,   2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
    kHour,     2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay,
    2 * kDay,  7 * kDay,    14 * kDay,   28 * kDay,    91 * kDay,    182 * kDay,
    364 * kDay};

}  // namespace

double to_axis(Scale scale, double value) noexcept {
    if (scale == Scale::Linear) {
        return value;
    }
    if (scale == Scale::Log) {
        return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
    }
    return std::copysign(std::log10(1 + std::abs(value)), value);
}

double from_axis(Scale scale, double place) noexcept {
    if (scale == Scale::Linear) {
        return place;
    }
    if (scale == Scale::Log) {
        return std::pow(10.0, place);
    }
    return std::copysign(std::pow(10.0, std::abs(place)) - 1, place);
}

double AxisMap::pixel(double value) const noexcept {
    // Halves: the whole span may be more than a double holds.
    const double low = to_axis(scale, from) / 2, high = to_axis(scale, to) / 2;
    const double span = high - low;
    return span == 0 ? start : start + (to_axis(scale, value) / 2 - low) / span * (end - start);
}

std::vector<double> ticks(Scale scale, double from, double to, int count, bool whole) {
    const double a = to_axis(scale, from), b = to_axis(scale, to);
    if (!std::isfinite(a) || !std::isfinite(b)) {
        return {};  // an end that the axis does not have
    }
    if (scale == Scale::Linear || b - a < 1 || (scale == Scale::Log && b - a < 1.2)) {
        std::vector<double> found = linear_ticks(from, to, count, whole);
        if (scale == Scale::Log) {
            std::erase_if(found, [](double value) { return value <= 0; });
        }
        return found;
    }
    return scale == Scale::Log ? log_ticks(from, to, a, b, count)
                               : symlog_ticks(from, to, a, b, count);
}

std::vector<double> time_ticks(double from, double to, int count) {
    const double rough = (to - from) / std::max(1, count);
    if (!(rough > 0.2) || !std::isfinite(rough)) {
        return {};
    }
    const auto fitting =
        std::ranges::find_if(kTimeSteps, [&](double step) { return step >= rough * 0.999; });
    const double step = fitting != kTimeSteps.end()
                            ? *fitting
                            : std::ceil(rough / kTimeSteps.back()) * kTimeSteps.back();
    std::vector<double> found;
    for (double i = std::ceil(from / step - 1e-9); found.size() < kMost; ++i) {
        if (i * step > to + step * 1e-9) {
            break;
        }
        found.push_back(i * step == 0 ? 0 : i * step);
    }
    return found;
}

std::vector<double> axis_ticks(AxisUnit unit, Scale scale, double from, double to, int count,
                               bool whole) {
    if (unit != AxisUnit::Number && scale == Scale::Linear) {
        if (std::vector<double> found = time_ticks(from, to, count); !found.empty()) {
            return found;
        }
    }
    return ticks(scale, from, to, count, whole);
}

}  // namespace taffrail::plot
