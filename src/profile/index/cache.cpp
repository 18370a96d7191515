// Where indexes are kept, and for how long.
#include "base/sha256.h"
#include "io/files.h"
#include "io/user_folders.h"
#include "profile/index/build.h"

#include <algorithm>
#include <filesystem>

namespace taffrail::profile {
namespace {

/// Raised when what is in the file changes.
constexpr int kIndexVersion = 1;

}  // namespace

std::string index_path(const std::string& path, std::uint64_t bytes, std::int64_t modified_ns) {
    const std::string folder = io::user_cache_folder();
    if (folder.empty()) {
        return {};
    }
    std::error_code ignored;
    const std::string absolute =
        std::filesystem::absolute(path, ignored).lexically_normal().string();
    const std::string what = absolute + '\n' + std::to_string(bytes) + '\n' +
                             std::to_string(modified_ns) + '\n' + std::to_string(kIndexVersion);
    return folder + "/taffrail/profiles/" + to_hex(sha256(as_bytes(what))).substr(0, 24) + ".index";
}

void tidy_index_folder(const std::string& keep, std::uint64_t limit_bytes) {
    struct Kept {
        std::string path;
        std::int64_t modified_ns;
        std::uint64_t bytes;
    };

    const std::string folder = io::parent(keep);
    const auto entries = io::list(folder);
    if (!entries.ok()) {
        return;
    }
    std::vector<Kept> all;
    std::uint64_t sum = 0;
    for (const io::DirectoryEntry& entry : *entries) {
        const std::string path = io::join(folder, entry.name);
        const auto info = io::stat(path);
        if (entry.type == io::EntryType::File && entry.name.ends_with(".index") && info.ok()) {
            all.push_back({path, info->modified_ns, info->size});
            sum += info->size;
        }
    }
    std::sort(all.begin(), all.end(),
              [](const Kept& a, const Kept& b) { return a.modified_ns < b.modified_ns; });
    for (const Kept& index : all) {
        if (sum <= limit_bytes) {
            return;
        }
        if (index.path != keep && io::remove(index.path).ok()) {
            sum -= index.bytes;
        }
    }
}

}  // namespace taffrail::profile
