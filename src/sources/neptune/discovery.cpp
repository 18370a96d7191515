#include "sources/neptune/discovery.h"

#include "base/strings.h"
#include "io/files.h"
#include "model/folder_walk.h"
#include "sources/neptune/read_run.h"

#include <algorithm>
#include <map>

namespace taffrail::sources::neptune {
namespace {

bool is_log(std::string_view name) {
    return name.ends_with("run_operations.sqlite3");
}

constexpr std::string_view kPart = "_part_", kParquet = ".parquet";

/// The number of a part "<run>_part_<number>.parquet"; nothing for other names.
std::optional<std::int64_t> part_of(std::string_view path) {
    const std::size_t at = path.rfind(kPart);
    if (at == std::string_view::npos || !path.ends_with(kParquet)) {
        return std::nullopt;
    }
    path.remove_suffix(kParquet.size());
    return parse_int(path.substr(at + kPart.size()));
}

/// Logs of neptune-scale, the first data file of a queue, and parts of an export.
std::vector<model::WalkFound> find_places(const std::string& root, bool stops_at_first) {
    const auto info = io::stat(root);
    if (info.ok() && info->type == io::EntryType::File) {
        return is_log(root) || part_of(root) ? std::vector<model::WalkFound>{{root, 0}}
                                             : std::vector<model::WalkFound>();
    }
    return model::walk(
        root,
        [](const std::string&, const io::DirectoryEntry& entry) {
            if (entry.type == io::EntryType::Directory) {
                return model::WalkStep::Enter;
            }
            const bool is_queue = entry.name.starts_with("data-") && entry.name.ends_with(".log");
            const bool is_wanted = is_log(entry.name) || is_queue || part_of(entry.name);
            return entry.type == io::EntryType::File && is_wanted ? model::WalkStep::Take
                                                                  : model::WalkStep::Skip;
        },
        {.depth = 6,
         .folders = stops_at_first ? 2'000 : 100'000,
         .stops_at_first = stops_at_first});
}

/// The folder of a queue whose data file this is; empty for a stranger's data-….log.
std::string queue_of(const std::string& file) {
    std::string folder = io::parent(file);
    if (folder.substr(folder.rfind('/') + 1).starts_with("exec-")) {
        folder = io::parent(folder);
    }
    return io::exists(io::join(folder, "metadata.json")) ||
                   io::exists(io::join(io::parent(file), "last_put_version"))
               ? folder
               : std::string();
}

}  // namespace

std::vector<model::FoundRun> find_runs(const std::string& root) {
    std::vector<model::FoundRun> found;
    std::string before;
    std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> exports;
    for (const model::WalkFound& place : find_places(root, false)) {
        if (const auto part = part_of(place.path)) {
            exports[place.path.substr(0, place.path.rfind(kPart))].emplace_back(*part, place.path);
        } else if (is_log(place.path)) {
            found.push_back({place.path, [path = place.path] { return read_scale(path); },
                             "this is no log of neptune-scale, or one that cannot be read"});
        } else if (const std::string folder = queue_of(place.path);
                   !folder.empty() && folder != before) {
            before = folder;
            found.push_back({folder, [folder] { return read_legacy(folder); }, {}});
        }
    }
    for (auto& [run, numbered] : exports) {
        std::ranges::sort(numbered);
        std::vector<std::string> parts;
        for (auto& [number, path] : numbered) {
            parts.push_back(std::move(path));
        }
        if (std::ranges::none_of(parts, is_export)) {
            continue;  // other programs number their parts in this way too
        }
        found.push_back(
            {run,
             [parts, name = run.substr(run.rfind('/') + 1)] { return read_export(parts, name); },
             {}});
    }
    return found;
}

std::optional<int> depth_of_runs(const std::string& root) {
    const auto found = find_places(root, true);
    const bool is_one = !found.empty() &&
                        (part_of(found.front().path)
                             ? is_export(found.front().path)
                             : is_log(found.front().path) || !queue_of(found.front().path).empty());
    return is_one ? std::optional(found.front().depth) : std::nullopt;
}

}  // namespace taffrail::sources::neptune
