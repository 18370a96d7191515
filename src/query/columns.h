// Columns of the table of runs: ids such as config:lr or metric.min:val/loss, and their values.
#pragma once

#include "query/run_set.h"

#include <string>
#include <string_view>

namespace taffrail::query {

/// The value of a column for a run; nothing where the run does not have it. Also takes the plain
/// fields name, project, group, job_type, state, start_ms, end_ms, duration_ms, attempts, notes,
/// tags.
Cell column_value(const RunDetails& run, std::string_view column);

/// A cell as a group label.
std::string cell_label(const Cell& cell);

}  // namespace taffrail::query
