// Writers of the tabular formats: every one takes runs from any source and gives its bytes to an
// output.
#pragma once

#include <taffrail/reader.h>

#include "base/bytes.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::cli {

using ExportOutput = std::function<Result<void>(std::string_view bytes)>;

struct ExportRequest {
    std::vector<std::shared_ptr<RecordedRun>> runs;
    std::string pattern;                    ///< glob over keys; "" = all
    std::string media_folder;               ///< "" = files are not written
    Attempts attempts = Attempts::Winning;  ///< CSV and Parquet
};

/// Whether the key is a scalar that was asked for.
bool wants_scalar(const ExportRequest& request, const KeyInfo& key);

/// One JSON object a record in log order: docs/formats/jsonl.md.
Result<void> export_jsonl(const ExportRequest& request, const ExportOutput& output);
/// run,key,step,time,epoch,samples,phase,rank,attempt,value: one scalar point a line.
Result<void> export_csv_tidy(const ExportRequest& request, const ExportOutput& output);
/// run,step,rank,attempt and one column a key: one line a step of a process; what was logged again
/// at the same step gets a line of its own, so that no point is lost. Lines go by step; of a run
/// with more points than fit into a few megabytes process by process, and a value that comes
/// thousands of steps late gets a line of its own.
Result<void> export_csv_wide(const ExportRequest& request, const ExportOutput& output);
/// The tidy table as a Parquet file.
Result<void> export_parquet(const ExportRequest& request, const ExportOutput& output);
/// Media files only; `output` receives one line a file.
Result<void> export_media(const ExportRequest& request, const ExportOutput& output);

/// A logdir run below `folder` for each run, none of which may be there yet. What event files have
/// no place for is said by `warn`, with its number.
Result<void> export_tensorboard(const ExportRequest& request, const std::string& folder,
                                const std::function<void(std::string_view)>& warn);

/// A CSV field, quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace taffrail::cli
