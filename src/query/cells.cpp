#include "query/cells.h"

#include <cmath>
#include <cstdint>
#include <optional>

namespace taffrail::query {
namespace {

std::optional<std::int64_t> whole_of(const Cell& cell) noexcept {
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? 1 : 0;
    }
    const auto* whole = std::get_if<std::int64_t>(&cell);
    return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

// A double has 53 bits, a whole number 64: the whole part is compared as a whole number, and what
// is behind the point decides between equals.
std::partial_ordering compare_mixed(std::int64_t whole, double number) noexcept {
    constexpr double kTooLarge = 9223372036854775808.0;  // 2^63
    if (std::isnan(number)) {
        return std::partial_ordering::unordered;
    }
    if (number >= kTooLarge) {
        return std::partial_ordering::less;
    }
    if (number < -kTooLarge) {
        return std::partial_ordering::greater;
    }
    const double floor = std::floor(number);
    const auto below = static_cast<std::int64_t>(floor);
    if (whole != below) {
        return whole <=> below;
    }
    return floor == number ? std::partial_ordering::equivalent : std::partial_ordering::less;
}

bool is_absent(const Cell& cell) noexcept {
    const auto* number = std::get_if<double>(&cell);
    return cell.index() == 0 || (number != nullptr && std::isnan(*number));
}

}  // namespace

std::partial_ordering compare_numbers(const Cell& a, const Cell& b) noexcept {
    const auto whole_a = whole_of(a), whole_b = whole_of(b);
    const auto *real_a = std::get_if<double>(&a), *real_b = std::get_if<double>(&b);
    if (whole_a && whole_b) {
        return *whole_a <=> *whole_b;
    }
    if (real_a != nullptr && real_b != nullptr) {
        return *real_a <=> *real_b;
    }
    if (whole_a && real_b != nullptr) {
        return compare_mixed(*whole_a, *real_b);
    }
    if (whole_b && real_a != nullptr) {
        return 0 <=> compare_mixed(*whole_b, *real_a);
    }
    return std::partial_ordering::unordered;
}

int compare_cells(const Cell& a, const Cell& b, bool descending) {
    if (is_absent(a) || is_absent(b)) {
        return static_cast<int>(is_absent(a)) - static_cast<int>(is_absent(b));
    }
    const auto *text_a = std::get_if<std::string>(&a), *text_b = std::get_if<std::string>(&b);
    std::partial_ordering order = std::partial_ordering::equivalent;
    if ((text_a != nullptr) != (text_b != nullptr)) {
        order = text_a == nullptr ? std::partial_ordering::less : std::partial_ordering::greater;
    } else {
        order = text_a != nullptr ? *text_a <=> *text_b : compare_numbers(a, b);
    }
    const int sign = order < 0 ? -1 : order > 0 ? 1 : 0;
    return descending ? -sign : sign;
}

}  // namespace taffrail::query
