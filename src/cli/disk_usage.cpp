#include "cli/disk_usage.h"

#include "io/files.h"
#include "io/inside.h"

namespace taffrail::cli {
namespace {

// Links count for nothing: what they lead to is not this run's, and may lead back here.
std::uint64_t bytes_below(const std::string& folder) {
    const auto entries = io::list(folder);
    std::uint64_t bytes = 0;
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string path = io::join(folder, entry.name);
        if (io::is_link(path)) {
            continue;
        }
        if (entry.type == io::EntryType::Directory) {
            bytes += bytes_below(path);
        } else if (const auto info = io::stat(path); info.ok()) {
            bytes += info->size;
        }
    }
    return bytes;
}

}  // namespace

Usage usage_of(const std::string& run_folder) {
    Usage usage;
    usage.live = bytes_below(io::join(run_folder, "live"));
    usage.sealed = bytes_below(io::join(run_folder, "data"));
    usage.media = bytes_below(io::join(run_folder, "blobs"));
    usage.other = bytes_below(run_folder) - usage.live - usage.sealed - usage.media;
    return usage;
}

}  // namespace taffrail::cli
