#include "server/workspace.h"

#include "base/clock.h"
#include "base/names.h"
#include "seal/page_cache.h"
#include "server/waiting_catalogue.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>

namespace taffrail::server {
namespace {

// What may be had again from the files is given up first; at least enough for one chart of one run.
constexpr std::size_t kLeastMemory = 64u << 20;

std::size_t memory_or_default(std::size_t wanted) {
    if (wanted == 0) {
        wanted = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 4;
    }
    return std::max(wanted, kLeastMemory);
}

/// Foreign logs know no projects: theirs is called like the root, else like its folder.
std::string project_of(const Workspace::Root& root) {
    if (!root.name.empty()) {
        return root.name;
    }
    std::string_view path = root.location;
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    path = path.substr(path.rfind('/') + 1);
    return path.empty() || path == "." ? "default" : std::string(path);
}

}  // namespace

// Half for open runs; pages and lines are small beside them and help every chart.
Workspace::Workspace(std::size_t memory_bytes)
    : RunSet(std::min<std::size_t>(256u << 20, memory_bytes / 8)), open_(memory_bytes / 2) {
    seal::PageCache::shared().set_limit(std::min<std::size_t>(256u << 20, memory_bytes / 4));
}

Result<std::shared_ptr<Workspace>> Workspace::open(std::vector<RootSpec> roots,
                                                   std::shared_ptr<StateStore> state,
                                                   std::size_t memory_bytes) {
    auto workspace = std::shared_ptr<Workspace>(new Workspace(memory_or_default(memory_bytes)));
    workspace->marks_ = std::make_unique<Marks>(std::move(state));
    workspace->instance_ = make_run_id(wall_time_ns());
    for (RootSpec& spec : roots) {
        auto catalogue =
            WaitingCatalogue::fits(spec.path)
                ? Result<std::shared_ptr<Catalogue>>(std::make_shared<WaitingCatalogue>(spec.path))
                : read(spec.path);
        if (!catalogue) {
            return std::move(catalogue).error();
        }
        Root root;
        root.name = spec.name;
        root.location = spec.path;
        root.catalogue = *catalogue;
        workspace->roots_.push_back(std::move(root));
    }
    workspace->load_all();
    return workspace;
}

Workspace::~Workspace() {
    stop_watching();
}

bool newer(const std::shared_ptr<const RunDetails>& a, const std::shared_ptr<const RunDetails>& b) {
    return a->info.start_time_ns > b->info.start_time_ns;
}

std::string Workspace::global_id(std::size_t root, std::string_view id) const {
    return roots_.size() == 1 ? std::string(id) : roots_[root].name + ':' + std::string(id);
}

std::shared_ptr<const RunDetails> Workspace::make_details(std::size_t root, const RunInfo& info,
                                                          RecordedRun* run) const {
    auto details = std::make_shared<RunDetails>();
    details->id = global_id(root, info.id);
    details->root = root;
    details->info = info;
    if (run != nullptr) {
        details->info = run->info();
        details->keys = run->keys();
        details->revision = run->revision();
    }
    // Foreign runs know no projects, and a page without a name has no address.
    if (details->info.project.empty()) {
        details->info.project = project_of(roots_[root]);
    }
    marks_->overlay(details->id, details->info);
    return details;
}

std::shared_ptr<const RunDetails> Workspace::unreadable(std::size_t root, const RunInfo& info,
                                                        std::string_view why) const {
    auto details = std::make_shared<RunDetails>(*make_details(root, info, nullptr));
    details->info.message += (details->info.message.empty() ? "" : "; ");
    details->info.message.append("it cannot be read: ").append(why);
    return details;
}

std::shared_ptr<const RunDetails> Workspace::read_details(std::size_t root, const RunInfo& info) {
    try {
        const std::string id = global_id(root, info.id);
        std::shared_ptr<RecordedRun> run = open_.find(id);
        if (run == nullptr) {
            auto opened = roots_[root].catalogue->run(info.id);
            if (!opened) {
                return unreadable(root, info, opened.error().message);
            }
            run = *std::move(opened);
        }
        if (const auto grew = run->refresh(); !grew) {
            return unreadable(root, info, grew.error().message);
        }
        auto details = make_details(root, info, run.get());
        // Of a run that goes on only the new rows are read, as long as it stays open.
        if (details->info.state == RunState::Running) {
            open_.keep(id, std::move(run), OpenRuns::estimate(details->keys));
        }
        return details;
    } catch (const std::exception& failure) {
        return unreadable(root, info, failure.what());
    }
}

// Runs are opened for what is in their summary and closed again: thousands of them would hold
// descriptors and memory for nobody.
void Workspace::load_all() {
    auto list = std::make_shared<RunList>();
    for (std::size_t r = 0; r < roots_.size(); ++r) {
        const std::vector<RunInfo> infos = roots_[r].catalogue->runs(true);
        if (roots_[r].source.empty() && !infos.empty()) {
            roots_[r].source = infos.front().source;
        }
        RunList loaded(infos.size());
        parallel(infos.size(), [&](std::size_t i) { loaded[i] = read_details(r, infos[i]); });
        for (const auto& details : loaded) {
            by_id_[details->id] = details;
            list->push_back(details);
        }
    }
    std::ranges::stable_sort(*list, newer);
    list_ = std::move(list);
    malloc_trim(0);
}

std::shared_ptr<const RunList> Workspace::runs() const {
    const std::shared_lock lock(mutex_);
    return list_;
}

std::shared_ptr<const RunDetails> Workspace::details(std::string_view id) const {
    const std::shared_lock lock(mutex_);
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<RecordedRun>> Workspace::run(std::string_view id) const {
    const auto known = details(id);
    if (known == nullptr) {
        return Error{ErrorCode::NotFound, "there is no run '" + std::string(id) + "'"};
    }
    if (auto run = open_.find(known->id)) {
        return run;
    }
    auto opened = roots_[known->root].catalogue->run(known->info.id);
    if (opened) {
        open_.keep(known->id, *opened, OpenRuns::estimate(known->keys));
    }
    return opened;
}

}  // namespace taffrail::server
