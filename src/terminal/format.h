// Numbers, durations and rates as people read them. Total: every double gives a sensible text,
// negative, NaN and infinite ones included.
#pragma once

#include <string>
#include <string_view>

namespace taffrail::terminal {

/// 0.0345 → "34.500 ms", 1.25 → "1 s, 250.000 ms", 61.5 → "1 m, 1 s", 90061 → "1 d, 1 h, 1 m, 1 s".
std::string format_duration(double seconds);

/// 163840 → "163.84 K"; K, M, B, T, P in steps of a thousand, two decimals.
std::string format_rate(double per_second);

/// 0.1234 → "0.1234": four decimals where they say something, powers of ten where they do not.
std::string format_value(double value);

/// Clock time of a bar: 65 → "01:05", 3700 → "1:01:40"; "?" when it is not known.
std::string format_clock(double seconds);

/// A metric on a bar: at most three significant digits where that is shorter, padded to five
/// characters, so that the line does not jump. 1.0 → "1.000", 0.1 → "0.100", 1e-5 → "1e-5".
std::string format_bar_number(double value);
/// The same for a text: numbers are padded, everything else stays.
std::string format_bar_text(std::string_view text);
/// Whole numbers are not padded: 1 → "1".
std::string format_bar_count(long long value);

/// 1536 → "1.50 KiB".
std::string format_bytes(double bytes);

}  // namespace taffrail::terminal
