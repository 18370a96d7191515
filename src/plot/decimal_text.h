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
/// `digits` significant ones, without zeros at the end of the decimals and without an exponent,
/// grouped; for sizes from 1e-3 up to 1e15.
std::string plain_text(double value, int digits);
/// "12345.5" → "12,345.5": whole numbers of four digits and more are read in groups of three.
std::string grouped(std::string text);
/// Without zeros at the end of its decimals.
std::string trimmed(std::string text);

}  // namespace taffrail::plot
