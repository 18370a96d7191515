#include "query/export/wide_lines.h"

#include "base/strings.h"
#include "codec/csv.h"

namespace taffrail::query {

std::string wide_header(const std::vector<std::string>& columns) {
    std::string line = "run,name,step,rank,attempt";
    for (const std::string& column : columns) {
        line += ',' + csv_safe_cell(column);
    }
    return line + '\n';
}

std::string wide_head(const ExportedRun& run) {
    return csv_safe_cell(run.id) + ',' + csv_safe_cell(run.name) + ',';
}

void append_wide_line(std::string& text, const std::string& head, const WideRow& place,
                      const WideCells& cells, std::size_t columns) {
    text.append(head).append(std::to_string(place.step)).push_back(',');
    text.append(std::to_string(place.rank)).push_back(',');
    text.append(std::to_string(place.attempt));
    auto cell = cells.begin();
    for (std::size_t column = 0; column < columns; ++column) {
        text.push_back(',');
        if (cell != cells.end() && cell->first == column) {
            text.append(format_double(cell++->second));
        }
    }
    text.push_back('\n');
}

}  // namespace taffrail::query
