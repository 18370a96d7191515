// The six-column table of calls, as Python's pstats prints it.
#pragma once

#include "profile/profile.h"

#include <string>
#include <string_view>

namespace taffrail::profilers {

struct CallTableOptions {
    double restriction = 20;  ///< rows, or a share of them when at most 1
    std::string sort_by = "cumulative";
};

/// "cumulative", "tottime", "ncalls", "name".
bool is_sort_key(std::string_view key) noexcept;

/// Head line, order, what was left out, columns, rows.
std::string call_table(profile::Profile& profile, const CallTableOptions& options);

}  // namespace taffrail::profilers
