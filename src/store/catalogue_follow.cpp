// Following a root for hours: the kernel tells which folders changed, runs that go on are looked at
// each time, and a slow sweep over all the others is the net for what the kernel cannot tell (file
// systems shared between machines, more runs than it gives watches for).
#include "base/clock.h"
#include "io/files.h"
#include "store/catalogue.h"
#include "store/layout.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace taffrail::store {
namespace {

// Three folders each: within the 8,192 watches that small machines give a user. The newest runs are
// those that are edited, resumed and sealed.
constexpr std::size_t kWatchedRuns = 2000;
// Of the runs at rest, at each call; five calls a second make 10,000 runs in a minute.
constexpr std::size_t kSweptAtOnce = 32;
// A process may die without writing a byte, and asking for that costs more than a look at sizes.
constexpr std::int64_t kLivenessEveryNs = 1'000'000'000;
// Times of folders are as coarse as the file system's clock: what changed this lately may have
// changed again.
constexpr std::int64_t kSettledNs = 2'000'000'000;

constexpr std::uint64_t kRootOwner = 0;

}  // namespace

// Once, with what changed since the runs were listed.
std::set<std::string> NativeCatalogue::begin_following() {
    std::set<std::string> suspects;
    if (std::exchange(following_, true)) {
        return suspects;
    }
    // Other schemes have no kernel behind them.
    watch_ = root_.find("://") == std::string::npos ? io::FolderWatch::make() : nullptr;
    if (watch_ != nullptr && !single_run_) {
        watch_->add(io::join(root_, kRunsFolder), kRootOwner);
    }
    const std::int64_t now = wall_time_ns();
    for (auto& [folder, known] : runs_) {
        watch_run(folder);
        if (known.info.state == RunState::Running) {
            running_.insert(folder);
        }
        if (!rests(folder, known, now)) {
            suspects.insert(folder);
        }
    }
    return suspects;
}

// Folders are named by their start, so the first in order is the oldest.
void NativeCatalogue::watch_run(const std::string& folder) {
    if (watch_ == nullptr) {
        return;
    }
    auto& owner = owners_[folder];
    if (owner == kRootOwner) {
        owner = ++last_owner_;
        watched_[owner] = folder;
    }
    for (const std::string& each :
         {folder, io::join(folder, kLiveFolder), io::join(folder, kMetaFolder)}) {
        watch_->add(each, owner);
    }
    while (owners_.size() > kWatchedRuns) {
        unwatch_run(std::string(owners_.begin()->first));
    }
}

void NativeCatalogue::unwatch_run(const std::string& folder) {
    if (const auto owner = owners_.find(folder); owner != owners_.end()) {
        watch_->remove(owner->second);
        watched_.erase(owner->second);
        owners_.erase(owner);
    }
}

// The list of runs is read again when the kernel says so, and when the folder's own time does: that
// also works for folders of other machines.
bool NativeCatalogue::list_may_have_changed(bool told) {
    if (single_run_) {
        return !io::exists(root_);
    }
    const auto info = io::stat(io::join(root_, kRunsFolder));
    const std::int64_t modified = info.ok() ? info->modified_ns : 0;
    const bool changed =
        told || modified != runs_modified_ns_ || runs_listed_ns_ < modified + kSettledNs;
    if (changed) {
        runs_modified_ns_ = modified;
        runs_listed_ns_ = wall_time_ns();
    }
    return changed;
}

std::set<std::string> NativeCatalogue::folders_to_look_at() {
    std::set<std::string> suspects;
    bool list = false;
    if (watch_ != nullptr) {
        const io::FolderWatch::Changes changes = watch_->take();
        list = changes.lost;
        for (const std::uint64_t owner : changes.owners) {
            if (const auto folder = watched_.find(owner); folder != watched_.end()) {
                suspects.insert(folder->second);
            }
            list = list || owner == kRootOwner;
        }
        if (changes.lost) {
            for (const auto& [folder, known] : runs_) {
                suspects.insert(folder);
            }
        }
    }
    if (list_may_have_changed(list)) {
        const std::vector<std::string> folders = list_folders(root_problem_);
        for (const std::string& folder : folders) {
            if (!runs_.contains(folder)) {
                suspects.insert(folder);
            }
        }
        for (const auto& [folder, known] : runs_) {
            if (!std::ranges::binary_search(folders, folder)) {
                suspects.insert(folder);
            }
        }
    }
    const std::int64_t now = wall_time_ns();
    auto swept = runs_.upper_bound(swept_to_);
    for (std::size_t i = 0; i < std::min(kSweptAtOnce, runs_.size()); ++i) {
        if (swept == runs_.end()) {
            swept = runs_.begin();
        }
        if (!rests(swept->first, swept->second, now)) {
            suspects.insert(swept->first);
        }
        swept_to_ = (swept++)->first;
    }
    for (const std::string& folder : running_) {
        const auto run = runs_.find(folder);
        if (run != runs_.end() &&
            (run->second.looked_ns + kLivenessEveryNs <= now || run->second.looked_ns > now ||
             !is_unchanged(folder, run->second))) {
            suspects.insert(folder);
        }
    }
    return suspects;
}

// Three stat calls where they can tell, else the names in its folders.
bool NativeCatalogue::rests(const std::string& folder, Known& known, std::int64_t now) {
    if (known.info.state == RunState::Running) {
        return true;  // looked at by the loop over running ones
    }
    const auto modified = modification_times(folder);
    std::uint64_t bytes = 0;  // of logs without an end, which another machine may go on writing
    for (const std::string& log : known.unfinished) {
        const auto info = io::stat(log);
        bytes += info.ok() ? info->size : 0;
    }
    const bool same = modified == known.modified_ns && bytes == known.fingerprint.bytes;
    const bool settled =
        *std::ranges::max_element(known.modified_ns) + kSettledNs < known.looked_ns;
    if (settled || !same) {
        return same;
    }
    if (fingerprint(folder, known.unfinished) != known.fingerprint) {
        return false;
    }
    known.looked_ns = now;
    return true;
}

Result<std::vector<model::RunChange>> NativeCatalogue::follow() {
    const std::unique_lock lock(mutex_);
    std::set<std::string> suspects = begin_following();
    suspects.merge(folders_to_look_at());
    std::vector<model::RunChange> changed;
    bool other_runs = false;
    for (const std::string& folder : suspects) {
        const auto old = runs_.find(folder);
        if (!io::exists(folder)) {
            if (old != runs_.end()) {
                changed.push_back({old->second.info.id, std::nullopt});
                forget(folder);
                other_runs = true;
            }
            continue;
        }
        Known fresh = look(folder);
        const bool was_run = old != runs_.end() && old->second.is_run;
        const bool differs = old == runs_.end() || was_run != fresh.is_run ||
                             old->second.fingerprint != fresh.fingerprint ||
                             old->second.info.state != fresh.info.state;
        if (differs && (fresh.is_run || was_run)) {
            changed.push_back(
                {fresh.info.id, fresh.is_run ? std::optional(fresh.info) : std::nullopt});
        }
        fresh.info.state == RunState::Running ? (void)running_.insert(folder)
                                              : (void)running_.erase(folder);
        if (differs) {
            watch_run(folder);
            other_runs = other_runs || old == runs_.end() || was_run != fresh.is_run ||
                         old->second.info.id != fresh.info.id;
        }
        runs_.insert_or_assign(folder, std::move(fresh));
    }
    if (other_runs) {
        index_ids();
    }
    return changed;
}

void NativeCatalogue::forget(const std::string& folder) {
    unwatch_run(folder);
    running_.erase(folder);
    runs_.erase(folder);
}

}  // namespace taffrail::store
