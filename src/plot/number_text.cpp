#include "plot/number_text.h"

#include "plot/decimal_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <set>

namespace taffrail::plot {
namespace {

struct Unit {
    double size;
    const char* suffix;
};

constexpr std::array<Unit, 4> kUnits{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};

/// As few digits as tell the values apart.
std::vector<std::string> exponents(std::span<const double> values) {
    const std::set<double> apart(values.begin(), values.end());
    for (int digits = 2;; ++digits) {
        std::vector<std::string> texts;
        for (const double value : values) {
            texts.push_back(value == 0 ? "0" : exponent_text(value, digits));
        }
        if (digits == 15 || std::set(texts.begin(), texts.end()).size() == apart.size()) {
            return texts;
        }
    }
}

/// How far the values of an axis lie from zero and from each other.
struct Spread {
    double largest = 0;
    double smallest = std::numeric_limits<double>::infinity();
    double distinct = std::numeric_limits<double>::infinity();
    double widest = 0;  // gap between two neighbours; `distinct` is the narrowest

    explicit Spread(std::span<const double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double size = std::abs(values[i]);
            if (size > 0) {
                largest = std::max(largest, size);
                smallest = std::min(smallest, size);
            }
            const double gap = i > 0 ? std::abs(values[i] - values[i - 1]) : 0;
            distinct = gap > 0 ? std::min(distinct, gap) : distinct;
            widest = std::max(widest, gap);
        }
        distinct = std::isfinite(distinct) ? distinct : largest;
    }
};

/// Ticks 1, 2, 5, 10 … of a logarithmic axis; those of a linear one lie equally far apart.
bool uneven(std::span<const double> values, const Spread& spread) {
    const bool apart = values.size() == 2 ? values[0] > 0 : spread.widest > 1.5 * spread.distinct;
    return apart && values.size() > 1 && spread.largest / spread.smallest > 2.5;
}

Unit unit_of(const Spread& spread, std::size_t count) {
    if (spread.largest >= 1e4) {
        for (const Unit& unit : kUnits) {
            if (spread.largest >= unit.size && (spread.distinct / unit.size >= 1e-3 || count < 2)) {
                // A number of six digits before its suffix is read more easily whole.
                return spread.largest / unit.size < 1e5 ? unit : Unit{1, ""};
            }
        }
    }
    return {1, ""};
}

int decimals_of(std::span<const double> values, double unit) {
    int decimals = 0;
    for (double power = 1; decimals < 8; ++decimals, power *= 10) {
        const bool whole = std::ranges::all_of(values, [&](double value) {
            const double scaled = value / unit * power;
            return !(std::abs(scaled - std::floor(scaled + 0.5)) > 1e-6);
        });
        if (whole) {
            break;
        }
    }
    return decimals;
}

/// The parts of a time that are shown: "03-14 15:09:26".
std::string time_text(double seconds, bool with_seconds) {
    const auto whole = static_cast<std::time_t>(std::floor(seconds));
    std::tm parts{};
    ::gmtime_r(&whole, &parts);
    std::array<char, 40> text{};
    const std::size_t length = std::strftime(
        text.data(), text.size(), with_seconds ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M", &parts);
    return {text.data(), length};
}

std::string clock_text(std::span<const double> values, std::size_t i) {
    const double step = values.size() > 1 ? values[1] - values[0] : 0;
    const std::string text = time_text(values[i], step < 60 && values.size() > 1);
    const std::string clock = text.substr(11);
    // A new day is named, the hours of a day are not repeated with it.
    if (step >= 86400 || clock == "00:00" || clock == "00:00:00") {
        return text.substr(5, 5);
    }
    const bool dated = values.size() == 1 || (i == 0 && values.back() - values[i] > 86400.0 * 7);
    return dated ? text.substr(5, 11) : clock;
}

/// Without the parts that are zero: "1 h", "1 h 30 m", "20 s".
std::string short_duration(double seconds) {
    if (seconds == 0) {
        return "0";
    }
    std::string text = duration_text(seconds);
    const std::size_t last = text.rfind(" 0 ");
    if (last != std::string::npos && last + 4 == text.size()) {
        text.resize(last);
    }
    return text;
}

}  // namespace

std::string number_text(double value, int digits, bool shortened) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Inf" : "-Inf";
    }
    if (value == 0) {
        return "0";
    }
    const double size = std::abs(value);
    if (size < 1e-3 || size >= 1e15) {
        return exponent_text(value, std::max(0, digits - 1));
    }
    if (shortened) {
        const int few = std::max(3, digits - 1);
        const double rounded = std::stod(precise_text(size, few));  // 999.9 is 1k
        for (const Unit& unit : kUnits) {
            if (rounded >= unit.size) {
                return plain_text(value / unit.size, few) + unit.suffix;
            }
        }
    }
    if (size >= std::pow(10.0, digits)) {
        const bool whole = value == std::floor(value) || size >= std::pow(10.0, digits + 2);
        return grouped(whole ? fixed_text(std::floor(value + 0.5), 0)
                             : trimmed(fixed_text(value, 1)));
    }
    return plain_text(value, digits);
}

std::vector<std::string> tick_texts(std::span<const double> values) {
    const Spread spread(values);
    if (spread.largest == 0) {
        return std::vector<std::string>(values.size(), "0");
    }
    const double reach = spread.largest / spread.smallest;
    const bool decades = values.size() > 2 && reach >= 1e3;  // no linear axis has such ticks
    if (spread.largest < 1e-3 || spread.largest >= 1e15 ||
        (decades && reach >= 1e4 && spread.smallest < 1e-3)) {
        return exponents(values);
    }
    std::vector<std::string> texts;
    if (decades || uneven(values, spread)) {
        for (const double value : values) {
            texts.push_back(number_text(value, 4, true));
        }
        return texts;
    }
    const Unit unit = unit_of(spread, values.size());
    const int decimals = decimals_of(values, unit.size);
    for (const double value : values) {
        texts.push_back(
            value == 0 ? "0" : grouped(fixed_text(value / unit.size, decimals)) + unit.suffix);
    }
    return texts;
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds)) {
        return "–";
    }
    const std::string sign = seconds < 0 ? "-" : "";
    const double size = std::abs(seconds);
    if (size == 0) {
        return "0 s";
    }
    if (size < 1e-3) {
        return sign + number_text(size * 1e6, 3) + " µs";
    }
    if (size < 1) {
        return sign + number_text(size * 1e3, 3) + " ms";
    }
    if (size < 60) {
        return sign + number_text(size, 3) + " s";
    }
    const auto whole = static_cast<std::int64_t>(std::min(std::floor(size + 0.5), 9e18));
    const std::int64_t days = whole / 86400, hours = whole % 86400 / 3600,
                       minutes = whole % 3600 / 60;
    if (days > 0) {
        return sign + std::to_string(days) + " d " + std::to_string(hours) + " h";
    }
    if (hours > 0) {
        return sign + std::to_string(hours) + " h " + std::to_string(minutes) + " m";
    }
    return sign + std::to_string(minutes) + " m " + std::to_string(whole % 60) + " s";
}

std::vector<std::string> axis_texts(AxisUnit unit, std::span<const double> values) {
    if (unit == AxisUnit::Number) {
        return tick_texts(values);
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        texts.push_back(unit == AxisUnit::Seconds ? short_duration(values[i])
                                                  : clock_text(values, i));
    }
    return texts;
}

}  // namespace taffrail::plot
