#include "sources/comet/discovery.h"

#include "codec/json.h"
#include "io/files.h"
#include "io/inside.h"
#include "model/folder_walk.h"
#include "sources/comet/archive_files.h"
#include "sources/comet/read_run.h"

#include <algorithm>
#include <map>

namespace taffrail::sources::comet {
namespace {

constexpr std::uint64_t kMaxDescriptionBytes = std::uint64_t{1} << 20;

bool is_folder(const std::string& path) {
    return io::exists(io::join(path, "experiment.json")) &&
           io::exists(io::join(path, "messages.json"));
}

/// Any other program makes archives too: only one that holds an experiment is ours.
bool is_archive(const std::string& path) {
    const auto files = ArchiveFiles::open(path);
    return files.ok() && (*files)->size_of("experiment.json") && (*files)->size_of("messages.json");
}

std::vector<model::WalkFound> find_places(const std::string& root, bool stops_at_first) {
    const auto info = io::stat(root);
    if (info.ok() && info->type == io::EntryType::File) {
        return root.ends_with(".zip") ? std::vector<model::WalkFound>{{root, 0}}
                                      : std::vector<model::WalkFound>();
    }
    if (is_folder(root)) {
        return {{root, 0}};
    }
    return model::walk(root,
                       [](const std::string& folder, const io::DirectoryEntry& entry) {
                           const std::string path = io::join(folder, entry.name);
                           if (entry.type == io::EntryType::Directory) {
                               return is_folder(path) ? model::WalkStep::Take
                                                      : model::WalkStep::Enter;
                           }
                           return entry.type == io::EntryType::File &&
                                          entry.name.ends_with(".zip") && is_archive(path)
                                      ? model::WalkStep::Take
                                      : model::WalkStep::Skip;
                       },
                       {.depth = 6,
                        .folders = stops_at_first ? 2'000 : 100'000,
                        .stops_at_first = stops_at_first});
}

struct Part {
    std::string path;
    std::int64_t start = 0;
};

}  // namespace

std::vector<model::FoundRun> find_runs(const std::string& root) {
    std::map<std::string, std::vector<Part>> experiments;
    std::vector<model::FoundRun> found;
    for (const model::WalkFound& place : find_places(root, false)) {
        const auto files = ArchiveFiles::open(place.path);
        const auto bytes = files.ok() ? (*files)->read("experiment.json", kMaxDescriptionBytes)
                                      : Result<Bytes>(files.error());
        const auto json = bytes.ok() ? parse_json(as_text(*bytes)) : Result<Json>(bytes.error());
        if (!json.ok() || !json->is_object()) {
            // Messages may be whole where the description is not.
            if (files.ok() && (*files)->size_of("messages.json")) {
                experiments[place.path].push_back({place.path, 0});
            } else {
                found.push_back(
                    {place.path, nullptr,
                     json.ok() ? "experiment.json is no object" : json.error().message});
            }
            continue;
        }
        const std::string key = json->string_or("offline_id", "");
        experiments[key.empty() ? place.path : key].push_back(
            {place.path, json->integer_or("start_time", 0)});
    }
    for (auto& [key, parts] : experiments) {
        std::ranges::stable_sort(parts, [](const Part& a, const Part& b) {
            return std::pair(a.start, a.path.size()) < std::pair(b.start, b.path.size());
        });
        std::vector<std::string> paths;
        std::string identity;
        for (const Part& part : parts) {
            paths.push_back(part.path);
            identity += (identity.empty() ? "" : "\n") + part.path;
        }
        found.push_back({identity, [paths] { return read_run(paths); }, {}});
    }
    return found;
}

std::optional<int> depth_of_archives(const std::string& root) {
    const auto info = io::stat(root);
    if (info.ok() && info->type == io::EntryType::File) {
        return root.ends_with(".zip") && is_archive(root) ? std::optional(0) : std::nullopt;
    }
    const auto found = find_places(root, true);
    return found.empty() ? std::nullopt : std::optional(found.front().depth);
}

}  // namespace taffrail::sources::comet
