// Small text helpers shared by all layers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// The parts point into `text`, so it must outlive them: a temporary string is refused.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split(std::string&& text, char separator) = delete;
std::string_view trim(std::string_view text) noexcept;
std::string to_lower(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept;

/// Shell-style match with `*` and `?`; `*` also matches `/`.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

/// Whole text as a number, or nothing.
std::optional<double> parse_double(std::string_view text) noexcept;
std::optional<std::int64_t> parse_int(std::string_view text) noexcept;

/// Shortest text that reads back as the same double; "NaN", "Infinity", "-Infinity".
std::string format_double(double value);

/// The candidate nearest to `word` by edit distance, when near enough to be a typing mistake.
std::optional<std::string> suggestion(std::string_view word,
                                      std::span<const std::string> candidates);
/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// 2026-03-01T12:34:56.789Z
std::string format_time_utc(std::int64_t time_ns);

}  // namespace taffrail
