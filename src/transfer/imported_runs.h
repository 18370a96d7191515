// Which runs of a root were imported, and from where: so that importing twice copies once.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace taffrail::transfer {

struct ImportedRun {
    std::string id;             ///< of the copy
    std::uint64_t records = 0;  ///< that the original had when it was copied
};

/// By origin_of() the original.
using ImportedRuns = std::map<std::string, ImportedRun>;

/// The imported runs of `root`; none where there is no root yet.
ImportedRuns imported_runs(const std::string& root);

/// What tells an original from all others: the id of a native run wherever it lies, else its source
/// and folder.
std::string origin_of(const RunInfo& original);

/// Adds the origin to the environment of a copy, in place of one that the original brought along.
void note_origin(Hparams& environment, const RunInfo& original, std::uint64_t records);

/// Points and values of all keys.
std::uint64_t count_records(const RecordedRun& run);

/// Whether `path` is `folder` or lies below it, links followed.
bool lies_in(std::string_view path, std::string_view folder);

}  // namespace taffrail::transfer
