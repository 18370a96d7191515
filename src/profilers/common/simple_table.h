// The table of the simple profiler: five columns, as notes and papers have it.
#pragma once

#include "profilers/common/actions.h"

#include <string>
#include <vector>

namespace taffrail::profilers {

/// Rows by share of `elapsed_seconds`, largest first; actions of several owners are one row.
/// `extended` = false: name, mean and total, by mean, without the row of the whole.
std::string simple_table(const std::vector<ActionTotals>& totals, double elapsed_seconds,
                         bool extended);

}  // namespace taffrail::profilers
