// The functions of a profile as rows: how often, how long in themselves, how long with everything
// they called.
#pragma once

#include <taffrail/result.h>

#include "profile/profile.h"

#include <string>
#include <vector>

namespace taffrail::profile {

struct FunctionRow {
    std::string name, file;
    std::uint32_t line = 0;
    double calls = 0, self = 0, total = 0;
};

struct FunctionTable {
    ValueType type;
    bool has_calls = false;
    double whole = 0;  ///< sum of all self values: what shares are of
    std::vector<FunctionRow> rows;
};

enum class TableOrder : std::uint8_t { Self, Total, Calls, Name };

/// Rows of the wanted value, largest first; times in nanoseconds. Makes the call graph where it is
/// not there.
Result<FunctionTable> function_table(Profile& profile, std::string_view value, TableOrder order);

/// Rows of two tables that belong together, by name and file.
struct ChangedRow {
    FunctionRow before, after;  ///< without a name on the side where it is not
};

/// Largest change of self first.
std::vector<ChangedRow> changed_rows(const FunctionTable& before, const FunctionTable& after);

}  // namespace taffrail::profile
