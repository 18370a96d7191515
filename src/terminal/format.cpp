#include "terminal/format.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace taffrail::terminal {
namespace {

template <typename... Arguments>
std::string print(const char* format, Arguments... arguments) {
    std::array<char, 64> buffer;
    const int length = std::snprintf(buffer.data(), buffer.size(), format, arguments...);
    return {buffer.data(), std::min(static_cast<std::size_t>(length), buffer.size() - 1)};
}

// As "%.3g", which is written several times a second for each metric of a bar.
std::string three_digits(double value) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::general, 3);
    return {buffer.data(), end.ptr};
}

// What no unit can express.
std::optional<std::string> not_a_quantity(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return std::nullopt;
}

// "e-05" → "e-5", "e+07" → "e+7".
std::string shorten_exponent(std::string text) {
    const std::size_t e = text.find('e');
    if (e != std::string::npos && e + 2 < text.size()) {
        while (text.size() > e + 3 && text[e + 2] == '0') {
            text.erase(e + 2, 1);
        }
    }
    return text;
}

constexpr std::size_t kBarNumberWidth = 5;

std::string pad(std::string text) {
    if (text.find('e') != std::string::npos) {
        return text;
    }
    if (text.find('.') == std::string::npos && text.size() < kBarNumberWidth) {
        text += '.';
    }
    if (text.size() < kBarNumberWidth) {
        text.append(kBarNumberWidth - text.size(), '0');
    }
    return text;
}

}  // namespace

std::string format_duration(double seconds) {
    if (auto text = not_a_quantity(seconds)) {
        return *text;
    }
    if (seconds < 0) {
        return "-" + format_duration(-seconds);
    }
    if (seconds > 0 && seconds < 1e-6) {
        return print("%.3f ns", seconds * 1e9);
    }
    constexpr double kMostSeconds = 1e15;
    if (seconds > kMostSeconds) {
        return print("%.3g d", seconds / 86400);
    }
    // Round once, to the smallest unit shown, so that 59.9999999 becomes a minute and not "60 s".
    const auto micros = static_cast<std::int64_t>(std::llround(seconds * 1e6));
    if (micros < 60'000'000) {
        const std::string millis = print("%.3f ms", static_cast<double>(micros % 1'000'000) / 1e3);
        return micros < 1'000'000 ? millis : std::to_string(micros / 1'000'000) + " s, " + millis;
    }
    const std::int64_t whole = micros / 1'000'000;
    std::string text = std::to_string(whole / 60 % 60) + " m, " + std::to_string(whole % 60) + " s";
    if (whole >= 3600) {
        text = std::to_string(whole / 3600 % 24) + " h, " + text;
    }
    if (whole >= 86400) {
        text = std::to_string(whole / 86400) + " d, " + text;
    }
    return text;
}

std::string format_rate(double per_second) {
    if (auto text = not_a_quantity(per_second)) {
        return *text;
    }
    if (per_second < 0) {
        return "-" + format_rate(-per_second);
    }
    if (per_second > 0 && per_second < 0.005) {
        return print("%.2e", per_second);
    }
    constexpr std::array kUnits = {"", " K", " M", " B", " T", " P"};
    double value = per_second;
    std::size_t unit = 0;
    // 999.995 and more would print as 1000.00: the next unit says it better.
    while (value >= 999.995 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    if (value >= 999.995) {
        return print("%.2e", per_second);
    }
    return print("%.2f", value) + kUnits[unit];
}

std::string format_value(double value) {
    if (auto text = not_a_quantity(value)) {
        return *text;
    }
    const double size = std::abs(value);
    if (size != 0 && (size < 5e-4 || size >= 1e9)) {
        return print("%.4e", value);
    }
    return print("%.4f", value);
}

std::string format_clock(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e12) {
        return "?";
    }
    const auto whole = static_cast<long long>(seconds);
    if (whole >= 3600) {
        return print("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    }
    return print("%02lld:%02lld", whole / 60, whole % 60);
}

std::string format_bar_number(double value) {
    if (auto text = not_a_quantity(value)) {
        return *text;
    }
    std::string exact = format_double(value);
    std::string three = shorten_exponent(three_digits(value));
    if (exact.find('.') == std::string::npos && exact.find('e') == std::string::npos) {
        exact += ".0";
    }
    return pad(three.size() < exact.size() ? three : shorten_exponent(exact));
}

std::string format_bar_text(std::string_view text) {
    const bool number = parse_double(text).has_value() || text.find('.') != std::string_view::npos;
    return number && parse_double(text) ? pad(std::string(text)) : std::string(text);
}

std::string format_bar_count(long long value) {
    std::string exact = std::to_string(value);
    std::string three = shorten_exponent(three_digits(static_cast<double>(value)));
    return three.size() < exact.size() ? three : exact;
}

std::string format_bytes(double bytes) {
    if (auto text = not_a_quantity(bytes)) {
        return *text;
    }
    constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1023.995 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    if (std::abs(bytes) >= 1e6) {
        return print("%.2e %s", bytes, kUnits[unit]);
    }
    return print(unit == 0 ? "%.0f %s" : "%.2f %s", bytes, kUnits[unit]);
}

}  // namespace taffrail::terminal
