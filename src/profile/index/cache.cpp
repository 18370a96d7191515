// Where indexes are kept, and for how long.
#include "base/clock.h"
#include "base/sha256.h"
#include "io/files.h"
#include "io/user_folders.h"
#include "profile/index/build.h"
#include "profile/index/layout.h"

#include <algorithm>
#include <filesystem>

namespace taffrail::profile {
namespace {

/// Raised when what is in the file changes.
constexpr int kIndexVersion = 3;
constexpr std::int64_t kAbandonedAfterNs = std::int64_t{3600} * 1'000'000'000;

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

void note_use_of_index(const std::string& index_path) noexcept {
    // Where that cannot be, it only goes sooner.
    static_cast<void>(io::set_modified(index_path, wall_time_ns()));
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
    // One that is being made is written to all the time.
    const std::int64_t long_ago = wall_time_ns() - kAbandonedAfterNs;
    std::vector<Kept> all;
    std::uint64_t sum = 0;
    for (const io::DirectoryEntry& entry : *entries) {
        const std::string path = io::join(folder, entry.name);
        const auto info = io::stat(path);
        if (entry.type != io::EntryType::File || !info.ok()) {
            continue;
        }
        if (entry.name.ends_with(".index")) {
            all.push_back({path, info->modified_ns, info->size});
            sum += info->size;
        } else if (entry.name.ends_with(kUnfinished) && info->modified_ns < long_ago) {
            static_cast<void>(io::remove(path));
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
