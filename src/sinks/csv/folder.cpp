#include "sinks/csv/folder.h"

#include "base/strings.h"
#include "io/files.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace taffrail {

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

std::string expand_path(std::string path) {
    if (path == "~" || path.starts_with("~/")) {
        if (const char* home = std::getenv("HOME")) {
            path.replace(0, 1, home);
        }
    }
    for (std::size_t at = path.find('$'); at != std::string::npos; at = path.find('$', at + 1)) {
        const bool braces = at + 1 < path.size() && path[at + 1] == '{';
        const std::size_t begin = at + (braces ? 2 : 1);
        std::size_t end = begin;
        while (end < path.size() &&
               (std::isalnum(static_cast<unsigned char>(path[end])) != 0 || path[end] == '_')) {
            ++end;
        }
        const std::string name = path.substr(begin, end - begin);
        const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
        if (value != nullptr && (!braces || (end < path.size() && path[end] == '}'))) {
            path.replace(at, end + (braces ? 1 : 0) - at, value);
        }
    }
    return path;
}

}  // namespace taffrail
