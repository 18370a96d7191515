#include "sources/trackio/discovery.h"

#include "io/files.h"
#include "io/inside.h"
#include "sqlite/database.h"

#include <algorithm>

namespace taffrail::sources::trackio {
namespace {

constexpr std::size_t kMostProjects = 1000;
constexpr std::size_t kMostAsked = 20;  // of a folder that somebody opens and that may be anything

bool is_project(const std::string& path) {
    if (!sqlite::is_database_file(path)) {
        return false;
    }
    const auto opened = sqlite::Database::open(path, sqlite::Mode::Read);
    if (!opened.ok() || !opened->has_table("metrics")) {
        return false;
    }
    const std::vector<std::string> columns = opened->columns("metrics");
    return std::ranges::all_of(
        std::initializer_list<std::string_view>{"timestamp", "run_name", "step", "metrics"},
        [&](std::string_view wanted) {
            return std::ranges::find(columns, wanted) != columns.end();
        });
}

std::vector<std::string> find(const std::string& path, std::size_t most_asked,
                              bool stops_at_first) {
    std::vector<std::string> found;
    const auto info = io::stat(path);
    if (info.ok() && info->type == io::EntryType::File) {
        return is_project(path) ? std::vector{path} : found;
    }
    const auto entries = io::list_inside(path, path);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type != io::EntryType::File || !entry.name.ends_with(".db")) {
            continue;
        }
        if (most_asked-- == 0 || (stops_at_first && !found.empty())) {
            break;
        }
        if (std::string inside = io::join(path, entry.name); is_project(inside)) {
            found.push_back(std::move(inside));
        }
    }
    return found;
}

}  // namespace

std::vector<std::string> databases_in(const std::string& path) {
    return find(path, kMostProjects, false);
}

int recognise(const std::string& path) {
    return find(path, kMostAsked, true).empty() ? 0 : 89;
}

}  // namespace taffrail::sources::trackio
