#include "store/catalogue.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "model/run_cache.h"
#include "store/glance.h"
#include "store/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace taffrail::store {
namespace {

// Below this many runs threads cost more than they bring.
constexpr std::size_t kWorthThreads = 64;
// Fewer runs are read faster than a cache is looked up.
constexpr std::size_t kWorthCaching = 200;

std::size_t threads_for(std::size_t runs) {
    return runs < kWorthThreads ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

}  // namespace

Result<std::shared_ptr<Catalogue>> open_catalogue(const std::string& path) {
    std::string folder = path;
    while (folder.size() > 1 && folder.ends_with('/')) {
        folder.pop_back();
    }
    if (!is_root(folder) && !is_run_folder(folder)) {
        return Error{ErrorCode::NotFound, fmt::format("{} holds no Taffrail runs", path)};
    }
    auto catalogue = std::make_shared<NativeCatalogue>(folder, !is_root(folder));
    TAFFRAIL_TRY(catalogue->refresh());
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

std::vector<std::string> NativeCatalogue::list_folders(std::string& problem) const {
    problem.clear();
    if (!io::exists(root_)) {
        problem = "it is gone: removed, renamed or no longer mounted";
        return {};
    }
    if (single_run_) {
        return {root_};
    }
    std::vector<std::string> folders;
    const std::string runs = io::join(root_, kRunsFolder);
    const auto entries = io::list(runs);
    if (!entries.ok() && entries.error().code != ErrorCode::NotFound) {
        problem = entries.error().message;
    }
    if (entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (entry.type == io::EntryType::Directory && !entry.name.starts_with('.')) {
                folders.push_back(io::join(runs, entry.name));
            }
        }
    }
    return folders;
}

NativeCatalogue::Fingerprint NativeCatalogue::fingerprint(
    const std::string& folder, const std::vector<std::string>& unfinished) {
    Fingerprint print{folder_print(folder), folder_print(io::join(folder, kLiveFolder)),
                      folder_print(io::join(folder, kMetaFolder)), 0};
    for (const std::string& log : unfinished) {
        const auto info = io::stat(log);
        print.bytes += info.ok() ? info->size : 0;
    }
    return print;
}

NativeCatalogue::Known NativeCatalogue::look(const std::string& folder) {
    Known known;
    known.looked_ns = wall_time_ns();
    known.modified_ns = modification_times(folder);
    // The fingerprint is taken first: a change in between is then seen again rather than missed.
    const Fingerprint before = fingerprint(folder, {});
    RunGlance glance = glance_at_run(folder);
    known.info = std::move(glance.info);
    known.unfinished = std::move(glance.unfinished_logs);
    known.fingerprint = before;
    known.fingerprint.bytes = glance.unfinished_bytes;
    known.is_run = known.info.start_time_ns != 0 || is_run_folder(folder);
    // Nothing to be seen, because nobody lets us look: that is not the same as nothing there.
    for (const std::string& path : {folder, io::join(folder, kLiveFolder)}) {
        const auto entries = io::list(path);
        if (known.info.start_time_ns == 0 && !entries.ok() &&
            entries.error().code == ErrorCode::PermissionDenied) {
            known.unreadable = entries.error().message;
            known.is_run = false;
        }
    }
    return known;
}

std::array<std::int64_t, 3> NativeCatalogue::modification_times(const std::string& folder) {
    std::array<std::int64_t, 3> times{};
    const std::string paths[] = {folder, io::join(folder, kLiveFolder),
                                 io::join(folder, kMetaFolder)};
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto info = io::stat(paths[i]);
        times[i] = info.ok() ? info->modified_ns : 0;
    }
    return times;
}

// An entry of the cache is as old as its last look. Times that were older by seconds even then
// cannot hide a change within a tick of the file system's clock, so three stat calls do; else the
// folders are listed.
bool NativeCatalogue::is_unchanged(const std::string& folder, const Known& known) {
    constexpr std::int64_t kTicksApartNs = 2'000'000'000;
    if (known.from_cache && known.unfinished.empty() &&
        *std::ranges::max_element(known.modified_ns) + kTicksApartNs < known.looked_ns) {
        return modification_times(folder) == known.modified_ns;
    }
    return fingerprint(folder, known.unfinished) == known.fingerprint;
}

// Entries are only believed where the fingerprint still fits, so a stale or foreign cache does no
// harm.
void NativeCatalogue::read_cache() {
    const std::string path = single_run_ ? std::string() : model::run_cache_path(root_);
    for (model::CachedRun& run :
         path.empty() ? std::vector<model::CachedRun>() : model::read_run_cache(path)) {
        const std::vector<std::uint64_t>& print = run.fingerprint;
        if (print.size() == 8) {
            const auto time = [&print](std::size_t at) {
                return static_cast<std::int64_t>(print[at]);
            };
            runs_[run.folder] = {std::move(run.info),
                                 {print[0], print[1], print[2], print[3]},
                                 std::move(run.watched),
                                 {time(4), time(5), time(6)},
                                 time(7),
                                 true};
        }
    }
}

void NativeCatalogue::write_cache() const {
    const std::string path = single_run_ ? std::string() : model::run_cache_path(root_);
    if (path.empty() || runs_.size() < kWorthCaching) {
        return;
    }
    std::vector<model::CachedRun> runs;
    for (const auto& [folder, known] : runs_) {
        if (!known.is_run) {
            continue;
        }
        const Fingerprint& print = known.fingerprint;
        const auto number = [](std::int64_t time) { return static_cast<std::uint64_t>(time); };
        runs.push_back(
            {folder,
             {print.run, print.live, print.meta, print.bytes, number(known.modified_ns[0]),
              number(known.modified_ns[1]), number(known.modified_ns[2]), number(known.looked_ns)},
             known.unfinished,
             known.info});
    }
    (void)model::write_run_cache(path, runs);  // without it the next list is only slower
}

Result<std::vector<std::string>> NativeCatalogue::refresh() {
    bool first_time = false;
    {
        const std::unique_lock lock(mutex_);
        first_time = !std::exchange(cache_read_, true);
        if (first_time) {
            read_cache();
        }
    }
    std::string problem;
    const std::vector<std::string> folders = list_folders(problem);
    std::vector<std::optional<Known>> fresh(folders.size());
    {
        const std::shared_lock lock(mutex_);
        for_each_index(folders.size(), threads_for(folders.size()), [&](std::size_t i) {
            const auto old = runs_.find(folders[i]);
            const bool same = old != runs_.end() && old->second.info.state != RunState::Running &&
                              is_unchanged(folders[i], old->second);
            if (!same) {
                fresh[i] = look(folders[i]);
            }
        });
    }
    std::vector<std::string> changed;
    const std::unique_lock lock(mutex_);
    root_problem_ = std::move(problem);
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (!fresh[i]) {
            continue;
        }
        Known& known = runs_[folders[i]];
        const bool first = known.info.id.empty();
        if (((known.is_run && !first) || fresh[i]->is_run) &&
            (first || known.fingerprint != fresh[i]->fingerprint ||
             known.info.state != fresh[i]->info.state)) {
            changed.push_back(fresh[i]->info.id);
        }
        known = *std::move(fresh[i]);
    }
    for (auto known = runs_.begin(); known != runs_.end();) {
        if (std::ranges::binary_search(folders, known->first)) {
            ++known;
        } else {
            changed.push_back(known->second.info.id);
            known = runs_.erase(known);
        }
    }
    if (!changed.empty() || first_time) {
        index_ids();
    }
    // Once a program: a server that follows running runs would write it every second.
    if (first_time && !changed.empty()) {
        write_cache();
    }
    return changed;
}

void NativeCatalogue::index_ids() {
    folders_.clear();
    for (const auto& [folder, known] : runs_) {
        if (known.is_run) {
            folders_.try_emplace(known.info.id, folder);  // a copy of a run: the first folder
        }
    }
}

std::vector<RunInfo> NativeCatalogue::runs(bool include_deleted) const {
    const std::shared_lock lock(mutex_);
    std::vector<RunInfo> all;
    all.reserve(runs_.size());
    for (const auto& [folder, known] : runs_) {
        if (known.is_run && (include_deleted || !known.info.deleted)) {
            all.push_back(known.info);
        }
    }
    std::ranges::stable_sort(all, std::greater<>(), &RunInfo::start_time_ns);
    return all;
}

std::vector<UnreadableRun> NativeCatalogue::unreadable() const {
    const std::shared_lock lock(mutex_);
    std::vector<UnreadableRun> all;
    if (!root_problem_.empty()) {
        all.push_back({root_, root_problem_});
    }
    for (const auto& [folder, known] : runs_) {
        if (!known.unreadable.empty()) {
            all.push_back({folder, known.unreadable});
        }
    }
    return all;
}

Result<std::string> NativeCatalogue::folder_of(std::string_view id) const {
    const std::shared_lock lock(mutex_);
    if (const auto found = folders_.find(std::string(id)); found != folders_.end()) {
        return found->second;
    }
    const std::string* by_name = nullptr;
    // What is visible comes before what was deleted, then the newest.
    std::pair<bool, std::int64_t> best{false, INT64_MIN};
    std::vector<const std::string*> by_prefix;
    std::vector<std::string> names;
    for (const auto& [folder, known] : runs_) {
        if (!known.is_run) {
            continue;
        }
        if (known.info.id == id || folder == id ||
            folder.substr(folder.find_last_of('/') + 1) == id) {
            return folder;
        }
        const std::pair rank{!known.info.deleted, known.info.start_time_ns};
        if (known.info.name == id && rank >= best) {
            best = rank;
            by_name = &folder;
        }
        if (!id.empty() && known.info.id.starts_with(id)) {
            by_prefix.push_back(&folder);
        }
        names.push_back(known.info.name);
    }
    if (by_name != nullptr) {
        return *by_name;
    }
    if (by_prefix.size() == 1) {
        return *by_prefix.front();
    }
    if (by_prefix.size() > 1) {
        return Error{
            ErrorCode::InvalidArgument,
            fmt::format("{} runs begin with '{}': give more of the id", by_prefix.size(), id)};
    }
    if (single_run_ && id.empty()) {
        return root_;
    }
    return Error{ErrorCode::NotFound,
                 fmt::format("no run '{}' in {}{}", id, root_, did_you_mean(id, names))};
}

Result<std::shared_ptr<RecordedRun>> NativeCatalogue::run(std::string_view id) const {
    auto folder = folder_of(id);
    if (!folder.ok()) {
        // Not in the list, but perhaps the path of a run.
        if (!is_run_folder(std::string(id))) {
            return std::move(folder).error();
        }
        folder = std::string(id);
    }
    std::shared_ptr<RunReader> reader;
    {
        const std::scoped_lock lock(opened_mutex_);
        // A name that nobody holds any more still holds the memory of its reader.
        if (opened_.size() >= forget_opened_at_) {
            std::erase_if(opened_, [](const auto& each) { return each.second.expired(); });
            forget_opened_at_ = std::max<std::size_t>(64, 2 * opened_.size());
        }
        if (const auto kept = opened_.find(*folder); kept != opened_.end()) {
            reader = kept->second.lock();
        }
    }
    if (reader != nullptr) {
        TAFFRAIL_TRY(reader->refresh());
        return std::shared_ptr<RecordedRun>(std::move(reader));
    }
    // Not under the lock: thousands are opened from several threads.
    TAFFRAIL_ASSIGN(reader, RunReader::open(*folder));
    const std::scoped_lock lock(opened_mutex_);
    std::weak_ptr<RunReader>& kept = opened_[*folder];
    if (auto other = kept.lock()) {
        reader = std::move(other);  // opened by another thread meanwhile: one reader for all
    } else {
        kept = reader;
    }
    return std::shared_ptr<RecordedRun>(std::move(reader));
}

}  // namespace taffrail::store
