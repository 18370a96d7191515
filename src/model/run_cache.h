// The list of runs of a root, kept between programs: a file in the user's cache folder that may be
// deleted at any time.
//
// The truth is in the run folders. Each entry carries the fingerprint its run had when it was read;
// whoever uses the list compares that first, so a stale entry costs a look at the run and nothing
// else.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffrail::model {

struct CachedRun {
    std::string folder;
    std::vector<std::uint64_t> fingerprint;  ///< the owner's own numbers
    std::vector<std::string> watched;        ///< files whose growth counts
    RunInfo info;
};

/// Where the list of `root` is kept: $XDG_CACHE_HOME (or ~/.cache)/taffrail/catalogue/…; empty for
/// roots that are no local folders and for users without a home.
std::string run_cache_path(const std::string& root);

/// Empty when there is none or it is damaged: the list is then read from the runs.
std::vector<CachedRun> read_run_cache(const std::string& path);
/// Replaces the file in one step.
Result<void> write_run_cache(const std::string& path, std::span<const CachedRun> runs);

}  // namespace taffrail::model
