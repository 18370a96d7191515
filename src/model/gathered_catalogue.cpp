#include "model/gathered_catalogue.h"

#include "base/try.h"
#include "model/run_lookup.h"

#include <algorithm>

namespace taffrail::model {

Result<std::vector<std::string>> GatheredCatalogue::refresh() {
    std::lock_guard only(refresh_mutex_);
    std::map<std::string, Opened> known;
    {
        std::shared_lock lock(mutex_);
        for (const auto& [id, opened] : runs_) {
            known.emplace(opened.identity, opened);
        }
    }
    std::map<std::string, Opened, std::less<>> runs;
    std::map<std::string, std::string> unreadable;
    std::set<std::string> running;
    std::vector<std::string> changed;
    for (FoundRun& found : find_()) {
        Opened opened;
        bool is_changed = false;
        if (const auto before = known.find(found.identity); before != known.end()) {
            opened = before->second;
            TAFFRAIL_ASSIGN(is_changed, opened.run->refresh());
        } else if (auto content = found.read ? found.read() : nullptr) {
            opened = {found.identity,
                      std::make_shared<GatheredRun>(std::move(content), std::move(found.read))};
            is_changed = true;
        } else {
            unreadable[found.identity] =
                found.problem.empty() ? "there is no run in it" : found.problem;
            continue;
        }
        const RunInfo info = opened.run->info();
        std::string id = info.id;
        for (int number = 2; runs.contains(id); ++number) {
            id = info.id + "-" + std::to_string(number);
        }
        if (info.state == RunState::Running) {
            running.insert(id);
        }
        if (is_changed || running.contains(id) != running_.contains(id)) {
            changed.push_back(id);
        }
        runs.emplace(std::move(id), std::move(opened));
    }
    std::unique_lock lock(mutex_);
    for (const auto& [id, opened] : runs_) {
        if (!runs.contains(id)) {
            changed.push_back(id);
        }
    }
    runs_ = std::move(runs);
    unreadable_ = std::move(unreadable);
    running_ = std::move(running);
    std::ranges::sort(changed);
    return changed;
}

std::vector<RunInfo> GatheredCatalogue::runs(bool) const {
    std::shared_lock lock(mutex_);
    std::vector<RunInfo> infos;
    for (const auto& [id, opened] : runs_) {
        infos.push_back(opened.run->info());
        infos.back().id = id;
    }
    std::ranges::stable_sort(infos, std::greater<>(), &RunInfo::start_time_ns);
    return infos;
}

std::vector<UnreadableRun> GatheredCatalogue::unreadable() const {
    std::shared_lock lock(mutex_);
    std::vector<UnreadableRun> all;
    for (const auto& [where, why] : unreadable_) {
        all.push_back({where, why});
    }
    return all;
}

Result<std::shared_ptr<RecordedRun>> GatheredCatalogue::run(std::string_view id) const {
    std::shared_lock lock(mutex_);
    return run_meant_by(
        id, runs_, [](const Opened& opened) { return opened.run; },
        [](const GatheredRun& run, std::string_view path) {
            return std::ranges::count(run.files(), path) > 0;
        });
}

}  // namespace taffrail::model
