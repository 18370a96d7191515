#include "server/profiles.h"

#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/private_folder.h"
#include "profile/formats.h"
#include "profile/index/build.h"
#include "system/free_memory.h"

#include <malloc.h>

#include <algorithm>

namespace taffrail::server {
namespace {

// Profiles whose index and analysis are in hand: all workers that are compared, and some.
constexpr std::size_t kKept = kMostWorkers + 8;
constexpr std::uint64_t kIndexFolderBytes = std::uint64_t{8} << 30;

std::string last_part(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string name_of_file(std::size_t number, const std::string& path) {
    return std::to_string(number) + ' ' + last_part(path);
}

std::string format_word(const std::string& name) {
    const profile::Format* format = profile::format_of_path(name);
    return format == nullptr || format->read == nullptr ? std::string() : std::string(format->name);
}

/// Files of a run that may be profiles: in its folder profiles/, and traces beside event files.
std::vector<std::string> profile_names(const std::string& folder) {
    std::vector<std::string> names;
    if (const auto entries = io::list_inside(folder, io::join(folder, "profiles")); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (entry.type == io::EntryType::File && profile::is_profile_of_run(entry.name)) {
                names.push_back("profiles/" + entry.name);
            }
        }
    }
    if (const auto entries = io::list_inside(folder, folder); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (entry.type == io::EntryType::File && (entry.name.ends_with(".pt.trace.json") ||
                                                      entry.name.ends_with(".pt.trace.json.gz"))) {
                names.push_back(entry.name);
            }
        }
    }
    return names;
}

}  // namespace

Profiles::Profiles(std::shared_ptr<const Workspace> workspace, std::vector<std::string> files)
    : workspace_(std::move(workspace)), files_(std::move(files)), worker_([this] { work(); }) {}

Profiles::~Profiles() {
    stop();
}

void Profiles::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        jobs_.clear();
    }
    wake_.notify_all();
    if (worker_.joinable()) {
        worker_.join();
    }
}

Result<std::vector<ListedProfile>> Profiles::list(const std::string& run) const {
    std::vector<ListedProfile> listed;
    if (run.empty()) {
        for (std::size_t number = 0; number < files_.size(); ++number) {
            const auto info = io::stat(files_[number]);
            listed.push_back({"", name_of_file(number, files_[number]), last_part(files_[number]),
                              format_word(files_[number]), info.ok() ? info->size : 0,
                              info.ok() ? info->modified_ns : 0});
        }
        return listed;
    }
    const auto details = workspace_->details(run);
    if (details == nullptr) {
        return Error{ErrorCode::NotFound, "there is no run '" + run.substr(0, 100) + "'"};
    }
    const std::string& folder = details->info.location;
    for (const std::string& name : profile_names(folder)) {
        const auto info = io::stat_inside(folder, io::join(folder, name));
        if (info.ok() && info->size > 0) {
            listed.push_back(
                {run, name, last_part(name), format_word(name), info->size, info->modified_ns});
        }
    }
    // The first one is what a page opens. A trace knows more of its steps than the sums of the
    // whole run, and those know more than one action of them.
    const auto rank = [](const ListedProfile& it) {
        return it.format == "chrome" ? 0 : it.format == "tprof" ? 1 : 2;
    };
    std::stable_sort(
        listed.begin(), listed.end(), [&](const ListedProfile& a, const ListedProfile& b) {
            return std::pair(rank(a), b.modified_ns) < std::pair(rank(b), a.modified_ns);
        });
    return listed;
}

Result<std::string> Profiles::path_of(const std::string& run, const std::string& name) const {
    if (run.empty()) {
        for (std::size_t number = 0; number < files_.size(); ++number) {
            if (name == name_of_file(number, files_[number])) {
                return files_[number];
            }
        }
    } else {
        // Only names that the list has: a name is never a way to another file.
        TAFFRAIL_ASSIGN(const auto listed, list(run));
        for (const ListedProfile& known : listed) {
            if (known.name == name) {
                return io::join(workspace_->details(run)->info.location, name);
            }
        }
    }
    return Error{ErrorCode::NotFound, "there is no profile '" + name.substr(0, 200) + "'"};
}

Result<std::shared_ptr<OpenProfile>> Profiles::open(const std::string& run,
                                                    const std::string& name) {
    TAFFRAIL_ASSIGN(const std::string path, path_of(run, name));
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat(path));
    if (info.type != io::EntryType::File) {
        return Error{ErrorCode::InvalidArgument, name + ": no file"};
    }
    const std::string key =
        path + '\n' + std::to_string(info.size) + '\n' + std::to_string(info.modified_ns);
    const std::lock_guard lock(mutex_);
    if (const auto known = open_.find(key); known != open_.end()) {
        return known->second;
    }
    auto profile = std::make_shared<OpenProfile>();
    profile->path = path;
    profile->name = last_part(path);
    profile->bytes = info.size;
    profile->progress.all_bytes = info.size;
    profile->index_path = profile::index_path(path, info.size, info.modified_ns);
    if (profile->index_path.empty()) {
        return Error{ErrorCode::Unsupported,
                     "no place for the index: neither XDG_CACHE_HOME nor HOME is set"};
    }
    if (auto index = profile::TraceIndex::open(profile->index_path, path); index.ok()) {
        profile::note_use_of_index(profile->index_path);
        profile->index = *std::move(index);
        profile->progress.phase = profile::Progress::Phase::Done;
        profile->state = OpenProfile::State::Ready;
    } else {
        profile->analysis_wanted = true;  // the profile is in memory then anyway
        jobs_.push_back({profile, false});
        wake_.notify_all();
    }
    open_[key] = profile;
    order_.push_back(key);
    while (order_.size() > kKept) {
        open_.erase(order_.front());
        order_.pop_front();
    }
    return profile;
}

std::shared_ptr<const profile::analysis::Analysis> Profiles::analysis(
    const std::shared_ptr<OpenProfile>& profile) {
    if (profile->analysis_state == OpenProfile::State::Ready) {
        return profile->analysis;
    }
    const std::lock_guard lock(mutex_);
    if (!profile->analysis_wanted.exchange(true)) {
        jobs_.push_back({profile, true});
        wake_.notify_all();
    }
    return nullptr;
}

void Profiles::work() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
            if (stop_) {
                return;
            }
            job = jobs_.front();
            jobs_.pop_front();
        }
        try {
            make(job);
        } catch (const std::exception& failure) {
            job.profile->message = failure.what();
            if (job.profile->state == OpenProfile::State::Working) {
                job.profile->state = OpenProfile::State::Failed;
            }
            job.profile->analysis_state = OpenProfile::State::Failed;
        }
        malloc_trim(0);
        // Not before what reading took is given back.
        job.profile->progress.phase = profile::Progress::Phase::Done;
    }
}

void Profiles::make(const Job& job) {
    OpenProfile& it = *job.profile;
    const auto fail = [&](const std::string& message) {
        it.message = message;
        if (!job.only_analysis) {
            it.state = OpenProfile::State::Failed;
        }
        it.analysis_state = OpenProfile::State::Failed;
    };
    // Longer than what the command line takes: the index of it is small.
    auto read = profile::read_profile_file(it.path, nullptr,
                                           {.max_unpacked_bytes = std::uint64_t{8} << 30,
                                            .free_memory_bytes = system::free_memory(),
                                            .progress = &it.progress});
    if (!read.ok()) {
        fail(read.error().message);
        return;
    }
    profile::Profile& profile = read->profile;
    if (!job.only_analysis) {
        if (const auto made = io::make_private_directories(io::parent(it.index_path)); !made.ok()) {
            fail(made.error().message);
            return;
        }
        const auto built =
            profile::build_index(profile, {it.name, std::string(read->format->name), it.bytes},
                                 it.index_path, &it.progress);
        if (!built.ok()) {
            fail(built.error().message);
            return;
        }
        auto index = profile::TraceIndex::open(it.index_path, it.path);
        if (!index.ok()) {
            fail(index.error().message);
            return;
        }
        it.index = *std::move(index);
        it.state = OpenProfile::State::Ready;
        profile::tidy_index_folder(it.index_path, kIndexFolderBytes);
    }
    it.progress.phase = profile::Progress::Phase::Analysing;
    it.analysis = std::make_shared<const profile::analysis::Analysis>(
        profile::analysis::analyze(profile, profile::analysis::worker_window_of(it.path)));
    it.analysis_state = OpenProfile::State::Ready;
}

}  // namespace taffrail::server
