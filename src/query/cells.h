// Cells in order: the one rule by which lists of runs are sorted and numbers are compared.
#pragma once

#include <taffrail/value.h>

#include <compare>

namespace taffrail::query {

/// Numbers, whole numbers and truths by value, exactly: 2^53 + 1 is not 2^53. Unordered when either
/// is NaN or no number.
std::partial_ordering compare_numbers(const Cell& a, const Cell& b) noexcept;

/// -1, 0, 1. Absent values and NaN come last whatever the direction; numbers before texts; equal
/// kinds by value.
int compare_cells(const Cell& a, const Cell& b, bool descending);

}  // namespace taffrail::query
