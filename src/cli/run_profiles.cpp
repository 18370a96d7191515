#include "cli/run_profiles.h"

#include "io/files.h"
#include "io/inside.h"
#include "profile/formats/tprof/tprof.h"
#include "system/free_memory.h"
#include "zones/open_block.h"

#include <signal.h>

#include <cerrno>
#include <map>

namespace taffrail::cli {

namespace {

// The run may be anybody's: links that lead out, pipes and devices are no files of it.
std::vector<std::string> names_in(const std::string& run_folder, const std::string& folder) {
    std::vector<std::string> names;
    const auto entries = io::list_inside(run_folder, folder);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::File) {
            names.push_back(entry.name);
        }
    }
    return names;
}

std::string folder_of(const std::string& run_folder) {
    return io::join(run_folder, "profiles");
}

// A number that another process has now is no sign of life of the old one; the run's state is. This
// only keeps a living run from being told what it does.
bool may_live(std::uint32_t process) {
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
}

}  // namespace

std::vector<RunProfile> profiles_of(const std::string& run_folder) {
    std::vector<RunProfile> found;
    for (const std::string& name : names_in(run_folder, folder_of(run_folder))) {
        const auto info = io::stat_inside(run_folder, io::join(folder_of(run_folder), name));
        if (!name.ends_with(".open") && info.ok()) {
            found.push_back({name, info->size});
        }
    }
    return found;
}

std::vector<std::string> zones_left_open(const std::string& run_folder) {
    std::vector<std::string> lines;
    for (const std::string& name : names_in(run_folder, folder_of(run_folder))) {
        if (!name.ends_with(".open")) {
            continue;
        }
        const auto found = zones::read_open_zones(io::join(folder_of(run_folder), name));
        if (!found.ok() || may_live(found->process_id)) {
            continue;
        }
        std::map<std::int64_t, std::string> threads;
        for (const zones::OpenZone& zone : found->zones) {
            std::string& line = threads[zone.thread_id];
            line = zone.name + (line.empty() ? "" : " < " + line);
        }
        for (const auto& [thread, line] : threads) {
            lines.push_back(line +
                            (found->steps > 0 ? ", step " + std::to_string(found->step) : "") +
                            " (process " + std::to_string(found->process_id) + ", thread " +
                            std::to_string(thread) + ")");
        }
    }
    return lines;
}

std::vector<Damage> check_profiles(const std::string& run_folder) {
    std::vector<Damage> damage;
    for (const std::string& name : names_in(run_folder, folder_of(run_folder))) {
        if (!name.ends_with(".tprof")) {
            continue;
        }
        const std::string path = io::join(folder_of(run_folder), name);
        const auto bytes = io::read_inside(run_folder, path, system::free_memory() / 2);
        if (!bytes.ok()) {
            damage.push_back({path, 0, 0, 0, 0, bytes.error().message});
            continue;
        }
        const auto checked = profile::tprof::check(*bytes);
        for (const auto& range : checked.damaged) {
            damage.push_back({path, range.offset, range.length, 0, 0, "bytes that are no frame"});
        }
        if (checked.ended && checked.pending_bytes > 0) {
            damage.push_back(
                {path, checked.good_bytes, checked.pending_bytes, 0, 0, "bytes behind the end"});
        } else if (checked.frames == 0 && !bytes->empty()) {
            damage.push_back({path, 0, bytes->size(), 0, 0, "no whole frame"});
        }
    }
    return damage;
}

}  // namespace taffrail::cli
