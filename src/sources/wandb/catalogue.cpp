#include "sources/wandb/catalogue.h"

#include "base/try.h"
#include "io/files.h"
#include "model/run_lookup.h"
#include "sources/wandb/discovery.h"

#include <algorithm>

namespace taffrail::sources::wandb {
namespace {

std::unique_ptr<LoadedPart> load_part(const FoundLog& found, std::uint32_t number) {
    auto part = std::make_unique<LoadedPart>(found.folder, found.file, number);
    part->file.look();
    part->file.read([&](ByteSpan record, std::uint64_t) { part->content.take(record); });
    part->content.sum_up();
    return part;
}

}  // namespace

// Files of one run id are processes of one run, in the order they began.
void WandbCatalogue::rebuild(std::vector<std::string>& changed) {
    const std::vector<FoundLog> found = discover(root_);
    std::map<std::string, std::shared_ptr<WandbRun>> owners;
    std::size_t known_files = 0;
    for (const auto& [id, run] : runs_) {
        for (const std::string& path : run->paths()) {
            owners[path] = run;
        }
    }
    for (const FoundLog& one : found) {
        known_files += owners.contains(one.file) || unreadable_.contains(one.file) ? 1 : 0;
    }
    if (known_files == found.size() && known_files == owners.size() + unreadable_.size()) {
        // One that could not be read may have become a run meanwhile.
        const bool is_settled = std::ranges::none_of(unreadable_, [](const auto& one) {
            const auto info = io::stat(one.first);
            return info.ok() && info->size >= formats::wandb::kFileHeader.size() &&
                   one.second.empty();
        });
        if (is_settled) {
            return;
        }
    }
    std::map<std::string, std::vector<std::unique_ptr<LoadedPart>>> grouped;
    std::map<std::string, std::string> unreadable;
    for (const FoundLog& one : found) {
        auto part = load_part(one, 0);
        const RunPart& content = part->content;
        if (content.run_id.empty() && content.rows == 0 && content.console.empty()) {
            const auto info = io::stat(one.file);
            unreadable[one.file] = !part->file.error().empty() ? part->file.error()
                                   : info.ok() && info->size == 0
                                       ? std::string()
                                       : "there is no record of a run in it";
            continue;
        }
        const std::string folder = one.folder.substr(one.folder.rfind('/') + 1);
        const std::string id = content.run_id.empty() ? folder : content.run_id;
        grouped[content.entity + '\0' + content.project + '\0' + id].push_back(std::move(part));
    }
    std::map<std::string, std::shared_ptr<WandbRun>, std::less<>> runs;
    for (auto& [name, parts] : grouped) {
        std::ranges::stable_sort(parts, {},
                                 [](const auto& part) { return part->content.start_time_ns; });
        std::vector<std::unique_ptr<LoadedPart>> numbered;
        for (auto& part : parts) {
            part->files =
                PartFiles(part->file.folder(), static_cast<std::uint32_t>(numbered.size()));
            numbered.push_back(std::move(part));
        }
        std::string id = name.substr(name.rfind('\0') + 1);
        if (runs.contains(id)) {
            id = numbered.front()->content.project + "/" + id;
        }
        for (int number = 2; runs.contains(id); ++number) {
            id = name.substr(name.rfind('\0') + 1) + "-" + std::to_string(number);
        }
        runs[id] = std::make_shared<WandbRun>(id, std::move(numbered));
        changed.push_back(id);
    }
    std::unique_lock lock(mutex_);
    for (const auto& [id, run] : runs_) {
        if (!runs.contains(id)) {
            changed.push_back(id);
        }
    }
    runs_ = std::move(runs);
    unreadable_ = std::move(unreadable);
}

Result<std::vector<std::string>> WandbCatalogue::refresh() {
    std::lock_guard only(refresh_mutex_);
    std::vector<std::string> changed;
    rebuild(changed);
    std::vector<std::shared_ptr<WandbRun>> all;
    {
        std::shared_lock lock(mutex_);
        for (const auto& [id, run] : runs_) {
            all.push_back(run);
        }
    }
    std::set<std::string> running;
    for (const auto& run : all) {
        TAFFRAIL_ASSIGN(const bool grew, run->refresh());
        const bool runs = run->info().state == RunState::Running;
        if (runs) {
            running.insert(run->id());
        }
        if (grew || runs != running_.contains(run->id())) {
            changed.push_back(run->id());
        }
    }
    running_ = std::move(running);
    std::ranges::sort(changed);
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    return changed;
}

std::vector<RunInfo> WandbCatalogue::runs(bool) const {
    std::shared_lock lock(mutex_);
    std::vector<RunInfo> infos;
    for (const auto& [id, run] : runs_) {
        infos.push_back(run->info());
    }
    std::ranges::stable_sort(infos, std::greater<>(), &RunInfo::start_time_ns);
    return infos;
}

std::vector<UnreadableRun> WandbCatalogue::unreadable() const {
    std::shared_lock lock(mutex_);
    std::vector<UnreadableRun> all;
    for (const auto& [file, reason] : unreadable_) {
        all.push_back({file, reason.empty() ? "the file is empty: its run has not begun, or was "
                                              "killed before it wrote anything"
                                            : reason});
    }
    return all;
}

Result<std::shared_ptr<RecordedRun>> WandbCatalogue::run(std::string_view id) const {
    std::shared_lock lock(mutex_);
    return model::run_meant_by(
        id, runs_, [](const std::shared_ptr<WandbRun>& run) { return run; },
        [](const WandbRun& run, std::string_view path) {
            return std::ranges::count(run.paths(), path) > 0;
        });
}

Result<std::shared_ptr<Catalogue>> open_runs(const std::string& path) {
    if (!io::exists(path)) {
        return Error{ErrorCode::NotFound, "no folder '" + path + "' to read runs from"};
    }
    auto catalogue = std::make_shared<WandbCatalogue>(path);
    TAFFRAIL_TRY(catalogue->refresh());
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace taffrail::sources::wandb
