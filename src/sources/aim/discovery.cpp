#include "sources/aim/discovery.h"

#include "io/files.h"
#include "io/inside.h"
#include "model/folder_walk.h"
#include "rocksdb/store.h"
#include "sources/aim/read_run.h"

namespace taffrail::sources::aim {
namespace {

bool is_repository(const std::string& path) {
    return io::exists(io::join(path, "VERSION")) && io::exists(io::join(path, "meta"));
}

std::vector<model::WalkFound> find_places(const std::string& root, bool stops_at_first) {
    if (is_repository(root)) {
        return {{root, 0}};
    }
    return model::walk(root,
                       [](const std::string& folder, const io::DirectoryEntry& entry) {
                           if (entry.type != io::EntryType::Directory) {
                               return model::WalkStep::Skip;
                           }
                           return entry.name == ".aim" &&
                                          is_repository(io::join(folder, entry.name))
                                      ? model::WalkStep::Take
                                      : model::WalkStep::Enter;
                       },
                       {.depth = 4,
                        .folders = stops_at_first ? 2'000 : 100'000,
                        .stops_at_first = stops_at_first});
}

}  // namespace

std::vector<model::FoundRun> find_runs(const std::string& root) {
    std::vector<model::FoundRun> found;
    for (const model::WalkFound& place : find_places(root, false)) {
        const std::string chunks = io::join(place.path, "meta/chunks");
        const auto runs = io::list_inside(place.path, chunks);
        for (const io::DirectoryEntry& entry :
             runs.ok() ? *runs : std::vector<io::DirectoryEntry>()) {
            if (entry.type == io::EntryType::Directory && io::is_plain_name(entry.name)) {
                found.push_back({io::join(chunks, entry.name),
                                 [repository = place.path, hash = entry.name] {
                                     return read_run(repository, hash);
                                 },
                                 "its folder cannot be opened as RocksDB"});
            }
        }
    }
    return found;
}

std::optional<int> depth_of_repositories(const std::string& root) {
    const auto found = find_places(root, true);
    return found.empty() ? std::nullopt : std::optional(found.front().depth);
}

}  // namespace taffrail::sources::aim
