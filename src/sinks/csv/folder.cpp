#include "sinks/csv/folder.h"

#include "base/strings.h"
#include "io/files.h"

#include <algorithm>

namespace taffrail::sinks::csv {

std::int64_t next_version(const std::string& folder) {
    constexpr std::string_view kPrefix = "version_";
    std::int64_t next = 0;
    const auto entries = io::list(folder);
    if (!entries.ok()) {
        return 0;
    }
    for (const io::DirectoryEntry& entry : *entries) {
        if (entry.type != io::EntryType::Directory || !entry.name.starts_with(kPrefix)) {
            continue;
        }
        if (const auto number = parse_int(entry.name.substr(kPrefix.size()));
            number && *number >= 0) {
            next = std::max(next, *number + 1);
        }
    }
    return next;
}

}  // namespace taffrail::sinks::csv
