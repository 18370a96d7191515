// The right side of a comparison in a filter: what the text means for a name, and whether a cell
// fits it.
#pragma once

#include <taffrail/value.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::query {

/// Half-open, UTC nanoseconds: a date is a whole day, a time its minute, second or nanosecond.
struct TimeRange {
    std::int64_t begin_ns = 0, end_ns = 0;
};

/// `2026-01-31`, `2026-01-31T12:30`, `2026-01-31T12:30:05.25Z` (UTC), or how long ago: `7d`,
/// `1h30m`.
std::optional<TimeRange> parse_time(std::string_view text, std::int64_t now_ns);

/// `90s`, `1.5h`, `2d`, `1h30m`, `250ms`; a plain number is seconds. Nanoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

class FilterValue {
  public:
    /// What a name holds, where the name alone says so.
    enum class Meaning : std::uint8_t { Any, Time, Duration };

    /// Nothing when the text is no time or duration and has to be one.
    static std::optional<FilterValue> parse(std::string_view text, Meaning meaning,
                                            std::int64_t now_ns);

    /// `op` as the language writes it. A number is never compared with a text.
    [[nodiscard]] bool fits(const Cell& cell, std::string_view op) const;

    /// False when no comparison of this kind can ever hold for such a cell: a number against a text
    /// that is none.
    [[nodiscard]] bool is_comparable(const Cell& cell, std::string_view op) const;

  private:
    std::string text_;
    Cell number_;  ///< nothing when the text is no number
    std::optional<TimeRange> time_;
};

}  // namespace taffrail::query
