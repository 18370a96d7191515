// Lines of the wide table: run,name,step,rank,attempt and one column a key.
#pragma once

#include "query/export/point_table.h"
#include "query/wide_table.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::query {

/// Values of a line by column, columns rising.
using WideCells = std::vector<std::pair<std::size_t, double>>;

std::string wide_header(const std::vector<std::string>& columns);

/// What every line of a run begins with.
std::string wide_head(const ExportedRun& run);

void append_wide_line(std::string& text, const std::string& head, const WideRow& place,
                      const WideCells& cells, std::size_t columns);

}  // namespace taffrail::query
