// Reads every byte of a run's sealed files and of the logs that are sealed: what no reader does,
// since readers look only at what they need.
#pragma once

#include <taffrail/reader.h>

#include "store/manifest.h"

#include <string>
#include <vector>

namespace taffrail::store {

/// Sealed files and manifests that are damaged, and logs that are sealed and damaged. Logs that are
/// not sealed are the reader's to check (RecordedRun::damage).
std::vector<Damage> check_run_files(const std::string& run_folder);

/// Damage in the sealed part of a log; nothing when it is not there any more.
std::vector<Damage> check_covered_log(const std::string& run_folder, const seal::CoveredLog& log);

/// Sealed files that do not have the bytes the manifest says.
std::vector<const seal::SealedFileInfo*> damaged_files(const std::string& run_folder,
                                                       const Manifest& manifest);

/// Folders beside the runs of a store that hold nothing of a run.
std::vector<std::string> find_stray_folders(const std::string& root);

}  // namespace taffrail::store
