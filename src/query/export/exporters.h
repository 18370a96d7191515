// Exports of open runs to an output that takes everything, such as a file: memory does not grow
// with a run. Who must send piece by piece has series_walk.h; the rows are the same.
#pragma once

#include <taffrail/reader.h>

#include "query/export/point_table.h"

#include <memory>
#include <string>
#include <vector>

namespace taffrail::query {

struct ExportRequest {
    std::vector<std::shared_ptr<RecordedRun>> runs;
    std::string pattern;       ///< glob over keys; "" = all
    std::string media_folder;  ///< "" = files are not written
    Attempts attempts = Attempts::Winning;
};

/// Whether the key is a scalar that was asked for.
bool wants_scalar(const ExportRequest& request, const KeyInfo& key);

/// Every scalar point as a row, series by series.
Result<void> export_points(const ExportRequest& request, TableFormat format, ExportOutput output);
/// run,name,step,rank,attempt and one column a key: one line a step of a process; what was logged
/// again at the same step gets a line of its own, so that no point is lost. Lines go by step; of a
/// run with more points than fit into a few megabytes process by process, and a value that comes
/// thousands of steps late gets a line of its own.
Result<void> export_wide(const ExportRequest& request, const ExportOutput& output);
/// One JSON object a record of any kind, in log order: docs/formats/jsonl.md.
Result<void> export_records(const ExportRequest& request, const ExportOutput& output);
/// Media files only; `output` receives one line a file.
Result<void> export_media(const ExportRequest& request, const ExportOutput& output);

}  // namespace taffrail::query
