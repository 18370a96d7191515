// A repository of Aim beside its RocksDB folders: version, tables and the rows of a run in them.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sinks::aim {

struct RunRow {
    std::string hash, name, description, experiment;
    std::vector<std::string> tags;
    std::int64_t created_ns = 0;
};

/// Makes `folder` (a `.aim`) a repository where it is none yet, and the run known in it. The row
/// comes before the run's folders: a folder without its row stops Aim's own listing.
Result<void> make_known(const std::string& folder, const RunRow& run, std::int64_t now_ns);
/// Changes what is known of the run; tags are added, and those in `removed` taken away.
Result<void> change(const std::string& folder, const RunRow& run,
                    const std::vector<std::string>& removed, std::int64_t now_ns);

}  // namespace taffrail::sinks::aim
