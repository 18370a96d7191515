#include "plot/decimal_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace taffrail::plot {
namespace {

std::string printed(const char* format, int precision, double value) {
    std::string text(400, '\0');
    const int length = std::snprintf(text.data(), text.size(), format, precision, value);
    text.resize(static_cast<std::size_t>(length > 0 ? length : 0));
    return text;
}

/// `format` cuts what it prints at an even digit where two are equally near; a hair more of such a
/// number is printed instead, which takes the larger one.
std::string rounded(const char* format, int precision, double value) {
    constexpr int kFurther = 40;  // digits of a double that is no tie differ from 5000… by then
    const std::string longer = printed(format, precision + kFurther, std::abs(value));
    const std::size_t mark = longer.find_first_of("eE");
    const std::string digits = longer.substr(0, mark);
    const std::string rest = digits.substr(digits.size() - kFurther);
    const bool tie = rest.front() == '5' && rest.find_first_not_of('0', 1) == std::string::npos;
    const double size =
        tie ? std::nextafter(std::abs(value), std::numeric_limits<double>::max()) : std::abs(value);
    return (std::signbit(value) ? "-" : "") + printed(format, precision, size);
}

}  // namespace

std::string trimmed(std::string text) {
    if (text.find('.') != std::string::npos) {
        text.resize(text.find_last_not_of('0') + 1);
        if (text.back() == '.') {
            text.pop_back();
        }
    }
    return text;
}

std::string fixed_text(double value, int decimals) {
    return rounded("%.*f", decimals, value);
}

std::string exponent_text(double value, int decimals) {
    const std::string text = rounded("%.*e", decimals, value);
    const std::size_t mark = text.find('e');
    const int exponent = std::stoi(text.substr(mark + 1));
    return trimmed(text.substr(0, mark)) + "e" + std::to_string(exponent);
}

std::string precise_text(double value, int digits) {
    const std::string text = rounded("%.*e", digits - 1, value);
    const int exponent = std::stoi(text.substr(text.find('e') + 1));
    if (exponent < -6 || exponent >= digits) {
        return text.substr(0, text.find('e')) + "e" + (exponent >= 0 ? "+" : "") +
               std::to_string(exponent);
    }
    return fixed_text(value, digits - 1 - exponent);
}

std::string plain_text(double value, int digits) {
    const std::string text = precise_text(value, digits);
    // Rounded up to one digit more: 9999.95 is 10,000.
    const std::size_t mark = text.find('e');
    return grouped(trimmed(mark == std::string::npos ? text : fixed_text(std::stod(text), 0)));
}

std::string grouped(std::string text) {
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    for (std::size_t at = std::min(text.find_first_of(".e"), text.size()); at > first + 3;) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

}  // namespace taffrail::plot
