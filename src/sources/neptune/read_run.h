// Runs of Neptune, gathered.
#pragma once

#include "model/gathered_run.h"

#include <memory>
#include <string>
#include <vector>

namespace taffrail::sources::neptune {

/// `file` is a run_operations.sqlite3. Null where it is none.
std::shared_ptr<model::GatheredContent> read_scale(const std::string& file);
/// `folder` is one of the older client's queue, with data-*.log files in it or in an `exec-`
/// folder.
std::shared_ptr<model::GatheredContent> read_legacy(const std::string& folder);
/// Whether `file` is Parquet with the columns of neptune-exporter.
bool is_export(const std::string& file);
/// `parts` are the files of one run in their order, `name` what their names begin with.
std::shared_ptr<model::GatheredContent> read_export(const std::vector<std::string>& parts,
                                                    const std::string& name);

}  // namespace taffrail::sources::neptune
