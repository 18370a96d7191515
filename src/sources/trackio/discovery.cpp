#include "sources/trackio/discovery.h"

#include "io/files.h"
#include "io/inside.h"
#include "sqlite/database.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace taffrail::sources::trackio {
namespace {

constexpr std::size_t kMostProjects = 1000;
constexpr std::size_t kMostAsked = 20;  // of a folder that somebody opens and that may be anything

enum class Project : std::uint8_t { No, Yes, Broken };

Project look_at(const std::string& path) {
    if (!sqlite::is_database_file(path)) {
        return Project::No;
    }
    const auto opened = sqlite::Database::open(path, sqlite::Mode::Read);
    if (!opened.ok()) {
        return opened.error().code == ErrorCode::Corrupt ? Project::Broken : Project::No;
    }
    const std::vector<std::string> columns = opened->columns("metrics");
    const auto has = [&](std::string_view wanted) {
        return std::ranges::find(columns, wanted) != columns.end();
    };
    return opened->has_table("metrics") && has("timestamp") && has("run_name") && has("step") &&
                   has("metrics")
               ? Project::Yes
               : Project::No;
}

struct Found {
    std::vector<std::string> projects;
    std::vector<std::string> broken;  ///< of which nobody can tell any more whose they are
};

Found find(const std::string& path, std::size_t most_asked, bool stops_at_first) {
    Found found;
    const auto take = [&](const std::string& file) {
        const Project is = look_at(file);
        if (is != Project::No) {
            (is == Project::Yes ? found.projects : found.broken).push_back(file);
        }
    };
    const auto info = io::stat(path);
    if (info.ok() && info->type == io::EntryType::File) {
        take(path);
        return found;
    }
    const auto entries = io::list_inside(path, path);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type != io::EntryType::File || !entry.name.ends_with(".db")) {
            continue;
        }
        if (most_asked-- == 0 || (stops_at_first && !found.projects.empty())) {
            break;
        }
        take(io::join(path, entry.name));
    }
    return found;
}

}  // namespace

std::vector<std::string> databases_in(const std::string& path) {
    Found found = find(path, kMostProjects, false);
    std::ranges::move(found.broken, std::back_inserter(found.projects));
    return std::move(found.projects);
}

int recognise(const std::string& path) {
    const Found found = find(path, kMostAsked, true);
    // What is broken is opened where nobody else knows it, to say what is wrong with it.
    return !found.projects.empty() ? 89 : found.broken.empty() ? 0 : 10;
}

}  // namespace taffrail::sources::trackio
