// The table of runs as CSV: run,name,project,state and the columns asked for.
#pragma once

#include "query/run_set.h"

#include <string>
#include <vector>

namespace taffrail::query {

std::string run_table_header(const std::vector<std::string>& columns);
void append_run_line(std::string& text, const RunDetails& run,
                     const std::vector<std::string>& columns);

}  // namespace taffrail::query
