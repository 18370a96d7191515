// Numbers as the dashboard writes them: the same digits on the page, in pictures and on a terminal.
// tests/data/plot_cases.json pins both.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace taffrail::plot {

/// About `digits` significant digits: "0.2291", "3e-4", "12,345"; "1.2k" with `shortened`.
std::string number_text(double value, int digits = 4, bool shortened = false);

/// Labels of one axis: the same number of decimals for all of them, unless they span decades.
std::vector<std::string> tick_texts(std::span<const double> values);

/// "850 ms", "12.3 s", "4 m 5 s", "2 h 3 m", "5 d 11 h".
std::string duration_text(double seconds);

/// Which unit an axis counts in.
enum class AxisUnit : unsigned char { Number, Seconds, Time };

/// Labels of an axis in its unit; Time is seconds since 1970, told in UTC.
std::vector<std::string> axis_texts(AxisUnit unit, std::span<const double> values);

}  // namespace taffrail::plot
