#include "sources/tensorboard/catalogue.h"

#include "io/files.h"

#include <algorithm>

namespace taffrail::sources::tensorboard {
namespace {

/// How a run is called: its path below the logdir; the logdir itself by its folder's name.
std::string display_name(const std::string& id, const std::string& folder) {
    if (id != ".") {
        return id;
    }
    std::string_view path = folder;
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    const auto slash = path.rfind('/');
    const std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return base.empty() || base == "." ? std::string(".") : std::string(base);
}

}  // namespace

TensorboardCatalogue::TensorboardCatalogue(std::vector<NamedPath> roots, LoadOptions options)
    : roots_(std::move(roots)), options_(options) {}

std::vector<std::shared_ptr<TensorboardRun>> TensorboardCatalogue::all() const {
    std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<TensorboardRun>> all;
    all.reserve(runs_.size());
    for (const auto& [id, run] : runs_) {
        all.push_back(run);
    }
    return all;
}

std::vector<RunInfo> TensorboardCatalogue::runs(bool) const {
    std::vector<RunInfo> infos;
    for (const auto& run : all()) {
        infos.push_back(run->info());
    }
    std::stable_sort(infos.begin(), infos.end(), [](const RunInfo& a, const RunInfo& b) {
        return a.start_time_ns > b.start_time_ns;
    });
    return infos;
}

Result<std::shared_ptr<RecordedRun>> TensorboardCatalogue::run(std::string_view id) const {
    std::shared_lock lock(mutex_);
    if (const auto exact = runs_.find(id); exact != runs_.end()) {
        return std::shared_ptr<RecordedRun>(exact->second);
    }
    std::shared_ptr<TensorboardRun> found;
    std::size_t prefixed = 0;
    for (const auto& [run_id, run] : runs_) {
        std::string_view folder = run->folder();
        std::string_view wanted = id;
        while (wanted.size() > 1 && wanted.ends_with('/')) {
            wanted.remove_suffix(1);
        }
        if (folder == wanted || display_name(run_id, run->folder()) == wanted) {
            return std::shared_ptr<RecordedRun>(run);
        }
        if (!id.empty() && run_id.starts_with(id)) {
            found = run;
            ++prefixed;
        }
    }
    if (prefixed == 1) {
        return std::shared_ptr<RecordedRun>(found);
    }
    return Error{ErrorCode::NotFound,
                 "no run '" + std::string(id) + "'" +
                     (prefixed > 1 ? ": " + std::to_string(prefixed) + " runs begin so"
                                   : " in this logdir; `taffrail ls` lists them")};
}

Result<std::vector<std::string>> TensorboardCatalogue::refresh() {
    std::lock_guard only(refresh_mutex_);
    std::map<std::string, FoundRun> found;
    for (const NamedPath& root : roots_) {
        for (FoundRun& run : discover(root.path)) {
            if (!root.name.empty()) {
                run.id = root.name + "/" + run.id;
            }
            std::string id = run.id;
            found.insert_or_assign(std::move(id), std::move(run));
        }
    }
    std::vector<std::string> changed_ids;
    std::vector<std::shared_ptr<TensorboardRun>> to_load;
    std::vector<bool> relisted;
    {
        std::unique_lock lock(mutex_);
        for (auto run = runs_.begin(); run != runs_.end();) {
            const auto still = found.find(run->first);
            if (still == found.end() || still->second.folder != run->second->folder()) {
                changed_ids.push_back(run->first);
                run = runs_.erase(run);
            } else {
                ++run;
            }
        }
        for (auto& [id, run] : found) {
            auto& slot = runs_[id];
            if (!slot) {
                slot =
                    std::make_shared<TensorboardRun>(id, display_name(id, run.folder), run.folder);
            }
            relisted.push_back(
                slot->set_files(std::move(run.event_files), std::move(run.side_files)));
            to_load.push_back(slot);
        }
    }
    const std::vector<bool> changed = load_runs(to_load, options_);
    std::set<std::string> running;
    for (std::size_t i = 0; i < to_load.size(); ++i) {
        const std::string id = to_load[i]->id();
        const bool altered = changed[i] || relisted[i];
        const bool was_running = running_.contains(id);
        const bool runs = (altered || was_running) && to_load[i]->info().state == RunState::Running;
        if (runs) {
            running.insert(id);
        }
        if (altered || runs != was_running) {
            changed_ids.push_back(id);
        }
    }
    running_ = std::move(running);
    return changed_ids;
}

Result<std::shared_ptr<Catalogue>> open_logdir(const std::string& spec,
                                               const LoadOptions& options) {
    std::vector<NamedPath> roots;
    if (const auto info = io::stat(spec); info.ok()) {
        if (info->type == io::EntryType::Directory) {
            roots.push_back({"", spec});
        } else {
            return Error{ErrorCode::InvalidArgument,
                         "'" + spec + "' is a file; open the folder it is in"};
        }
    } else {
        roots = split_spec(spec);
        for (const NamedPath& root : roots) {
            if (!io::exists(root.path)) {
                return Error{ErrorCode::NotFound,
                             "no folder '" + root.path + "' to read event files from"};
            }
        }
    }
    auto catalogue = std::make_shared<TensorboardCatalogue>(std::move(roots), options);
    const auto read = catalogue->refresh();
    if (!read.ok()) {
        return read.error();
    }
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace taffrail::sources::tensorboard
