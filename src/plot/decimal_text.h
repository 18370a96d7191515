// Decimal text with a given number of digits, rounded as JavaScript rounds: of two numbers equally
// near the larger one.
#pragma once

#include <string>

namespace taffrail::plot {

/// `decimals` digits behind the point.
std::string fixed_text(double value, int decimals);
/// `digits` significant ones, without an exponent where the number has at most as many before the
/// point.
std::string precise_text(double value, int digits);
/// d.ddde-4, without zeros at the end of the digits and without a plus.
std::string exponent_text(double value, int decimals);
/// "12,345.5"; the decimals go where all of them are 0.
std::string grouped_text(double value, int decimals = 0);
/// Without zeros at the end of its decimals.
std::string trimmed(std::string text);

}  // namespace taffrail::plot
