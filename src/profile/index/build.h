// Makes the file that profile/index/trace_index.h looks through.
#pragma once

#include <taffrail/result.h>

#include "profile/profile.h"
#include "profile/progress.h"

#include <string>
#include <string_view>

namespace taffrail::profile {

/// Where the profile came from, for the page.
struct IndexSource {
    std::string name;
    std::string format;
    std::uint64_t bytes = 0;
};

/// Writes the index of `profile` to `path`, which is there when all of it is. Adds what is missing
/// and can be derived (stacks, a timeline, a call graph) to `profile`.
Result<void> build_index(Profile& profile, const IndexSource& source, const std::string& path,
                         Progress* progress = nullptr);

/// The index of the file at `path` in the user's cache ($XDG_CACHE_HOME, else ~/.cache); another
/// one when the file is changed. Empty where there is no cache folder.
std::string index_path(const std::string& path, std::uint64_t bytes, std::int64_t modified_ns);
/// The index at `index_path` was opened: it is the last to go.
void note_use_of_index(const std::string& index_path) noexcept;
/// Removes indexes that were not used for longest until all together are below `limit_bytes`; never
/// `keep`. Also what programs left that died while they made one.
void tidy_index_folder(const std::string& keep, std::uint64_t limit_bytes);

}  // namespace taffrail::profile
