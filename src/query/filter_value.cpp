#include "query/filter_value.h"

#include "base/cell_text.h"
#include "base/strings.h"
#include "query/cells.h"

#include <chrono>
#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Whole numbers stay whole, so that they are compared exactly.
Cell number_in(std::string_view text) {
    const std::string lower = to_lower(text);
    if (lower == "true" || lower == "false") {
        return Cell(lower == "true");
    }
    if (lower == "nan") {
        return Cell(std::numeric_limits<double>::quiet_NaN());
    }
    if (lower == "inf" || lower == "+inf" || lower == "infinity" || lower == "+infinity") {
        return Cell(std::numeric_limits<double>::infinity());
    }
    if (lower == "-inf" || lower == "-infinity") {
        return Cell(-std::numeric_limits<double>::infinity());
    }
    if (const auto whole = parse_int(text)) {
        return Cell(*whole);
    }
    const auto number = parse_double(text);
    return number ? Cell(*number) : Cell();
}

/// `order` is that of the cell against the wanted value.
bool holds(std::partial_ordering order, std::string_view op) {
    return op == "<"    ? order < 0
           : op == "<=" ? order <= 0
           : op == ">"  ? order > 0
           : op == ">=" ? order >= 0
           : op == "!=" ? order != 0
                        : order == 0;
}

bool is_ordering(std::string_view op) {
    return op[0] == '<' || op[0] == '>';
}

bool is_nan(const Cell& cell) {
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr && std::isnan(*number);
}

std::optional<std::int64_t> digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return number;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text[0]) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

std::optional<TimeRange> parse_date(std::string_view text) {
    const auto year = digits(text, 4);
    if (!year || !take(text, "-")) {
        return std::nullopt;
    }
    const auto month = digits(text, 2);
    if (!month || !take(text, "-")) {
        return std::nullopt;
    }
    const auto day = digits(text, 2);
    const std::chrono::year_month_day date{
        std::chrono::year(static_cast<int>(*year)),
        std::chrono::month(static_cast<unsigned>(*month)),
        std::chrono::day(static_cast<unsigned>(day.value_or(0)))};
    // Outside of these years nanoseconds since 1970 have no 64 bits.
    if (!day || !date.ok() || *year < 1700 || *year > 2200) {
        return std::nullopt;
    }
    std::int64_t at = std::chrono::sys_days(date).time_since_epoch().count() * 86400;
    std::int64_t unit = 86400 * kSecond, fraction = 0;
    if (take(text, "Tt ")) {
        const auto hour = digits(text, 2);
        const auto minute = hour && take(text, ":") ? digits(text, 2) : std::nullopt;
        if (!hour || !minute || *hour > 23 || *minute > 59) {
            return std::nullopt;
        }
        at += *hour * 3600 + *minute * 60;
        unit = 60 * kSecond;
        if (take(text, ":")) {
            const auto second = digits(text, 2);
            if (!second || *second > 59) {
                return std::nullopt;
            }
            at += *second;
            unit = kSecond;
            if (take(text, ".")) {
                for (unit = kSecond / 10; unit > 0 && !text.empty(); unit /= 10) {
                    const auto digit = digits(text, 1);
                    if (!digit) {
                        break;
                    }
                    fraction += *digit * unit;
                }
                unit = std::max<std::int64_t>(unit * 10, 1);
            }
        }
        take(text, "Zz");
    }
    if (!text.empty()) {
        return std::nullopt;
    }
    return TimeRange{at * kSecond + fraction, at * kSecond + fraction + unit};
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
    struct Unit {
        std::string_view name;
        double ns;
    };

    static constexpr Unit kUnits[] = {{"ms", 1e6},   {"s", 1e9},     {"m", 60e9},
                                      {"h", 3600e9}, {"d", 86400e9}, {"w", 7 * 86400e9}};
    if (const auto seconds = parse_double(text)) {
        return std::isfinite(*seconds) && std::abs(*seconds) < 9e9
                   ? std::optional(static_cast<std::int64_t>(*seconds * 1e9))
                   : std::nullopt;
    }
    double total = 0;
    while (!text.empty()) {
        const std::size_t end = text.find_first_not_of("0123456789.");
        const auto number =
            end == std::string_view::npos ? std::nullopt : parse_double(text.substr(0, end));
        if (!number) {
            return std::nullopt;
        }
        text.remove_prefix(end);
        const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
        const Unit* found = nullptr;
        for (const Unit& unit : kUnits) {
            found = unit.name == text.substr(0, letters) ? &unit : found;
        }
        if (found == nullptr) {
            return std::nullopt;
        }
        total += *number * found->ns;
        text = trim(text.substr(letters));
    }
    return total < 9e18 ? std::optional(static_cast<std::int64_t>(total)) : std::nullopt;
}

std::optional<TimeRange> parse_time(std::string_view text, std::int64_t now_ns) {
    if (const auto date = parse_date(text)) {
        return date;
    }
    const auto ago = parse_double(text) ? std::nullopt : parse_duration(text);
    return ago ? std::optional(TimeRange{now_ns - *ago, now_ns - *ago + 1}) : std::nullopt;
}

std::optional<FilterValue> FilterValue::parse(std::string_view text, Meaning meaning,
                                              std::int64_t now_ns) {
    FilterValue value;
    value.text_ = text;
    if (meaning == Meaning::Time) {
        value.time_ = parse_time(text, now_ns);
        return value.time_ ? std::optional(std::move(value)) : std::nullopt;
    }
    if (meaning == Meaning::Duration) {
        const auto duration = parse_duration(text);
        value.number_ = duration ? Cell(*duration) : Cell();
        return duration ? std::optional(std::move(value)) : std::nullopt;
    }
    value.number_ = number_in(text);
    return value;
}

bool FilterValue::is_comparable(const Cell& cell, std::string_view op) const {
    const bool is_number = cell.index() >= 1 && cell.index() <= 3;
    return op == "~" || time_ || !is_number || number_.index() != 0 ||
           (!is_ordering(op) && text_.find_first_of("*?") != std::string::npos);
}

bool FilterValue::fits(const Cell& cell, std::string_view op) const {
    if (op == "~") {
        return to_lower(cell_text(cell)).find(to_lower(text_)) != std::string::npos;
    }
    if (time_) {
        // A day is one value: after it means after its end.
        const auto* at = std::get_if<std::int64_t>(&cell);
        return at != nullptr && holds(*at < time_->begin_ns ? std::partial_ordering::less
                                      : *at < time_->end_ns ? std::partial_ordering::equivalent
                                                            : std::partial_ordering::greater,
                                      op);
    }
    const bool is_number = cell.index() >= 1 && cell.index() <= 3;
    if (is_number && number_.index() != 0) {
        if (is_nan(cell) && is_nan(number_)) {
            return op == "=" || op == "==" || op == ":";
        }
        return holds(compare_numbers(cell, number_), op);
    }
    const std::string text = cell_text(cell);
    if (is_ordering(op)) {
        return !is_number && holds(text <=> text_, op);
    }
    const bool equal =
        text_.find_first_of("*?") != std::string::npos ? glob_match(text_, text) : text == text_;
    return op == "!=" ? !equal : equal;
}

}  // namespace taffrail::query
