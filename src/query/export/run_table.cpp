#include "query/export/run_table.h"

#include "base/cell_text.h"
#include "codec/csv.h"
#include "query/columns.h"

namespace taffrail::query {

std::string run_table_header(const std::vector<std::string>& columns) {
    std::string line = "run,name,project,state";
    for (const std::string& column : columns) {
        line += ',' + csv_safe_cell(column);
    }
    return line + '\n';
}

void append_run_line(std::string& text, const RunDetails& run,
                     const std::vector<std::string>& columns) {
    text += csv_safe_cell(run.id) + ',' + csv_safe_cell(run.info.name) + ',' +
            csv_safe_cell(run.info.project) + ',' + std::string(to_string(run.info.state));
    for (const std::string& column : columns) {
        const Cell cell = column_value(run, column);
        text += ',' + csv_safe_cell(cell_text(cell));
    }
    text += '\n';
}

}  // namespace taffrail::query
