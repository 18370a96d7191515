#include "server/workspace.h"

#include "base/clock.h"
#include "base/names.h"
#include "codec/json_writer.h"
#include "server/waiting_catalogue.h"

#include <malloc.h>

#include <algorithm>
#include <set>

namespace taffrail::server {
namespace {

constexpr std::chrono::milliseconds kWatchEvery{200};
constexpr std::size_t kNamedChanges = 1000;
constexpr unsigned kTrimEvery = 10;
constexpr std::chrono::seconds kLinesKeptFor{10};

}  // namespace

namespace {

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

const KeyInfo* RunDetails::key(std::string_view name, std::optional<Kind> kind) const noexcept {
    const auto found = std::ranges::equal_range(
        keys, name, {}, [](const KeyInfo& entry) { return std::string_view(entry.key); });
    const auto wanted = std::ranges::find(found, kind.value_or(Kind::Scalar), &KeyInfo::kind);
    return wanted != found.end() ? &*wanted : kind || found.empty() ? nullptr : &found.front();
}

Result<std::shared_ptr<Workspace>> Workspace::open(std::vector<RootSpec> roots,
                                                   std::shared_ptr<StateStore> state) {
    auto workspace = std::shared_ptr<Workspace>(new Workspace);
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

void Workspace::parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
    const std::size_t threads =
        std::min<std::size_t>(count, std::max(2u, std::thread::hardware_concurrency()));
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) {
            work(i);
        }
        return;
    }
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
        pool.emplace_back([&] {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i);
            }
        });
    }
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

void Workspace::load_all() {
    auto list = std::make_shared<RunList>();
    for (std::size_t r = 0; r < roots_.size(); ++r) {
        const std::vector<RunInfo> infos = roots_[r].catalogue->runs(true);
        if (roots_[r].source.empty() && !infos.empty()) {
            roots_[r].source = infos.front().source;
        }
        RunList loaded(infos.size());
        std::vector<std::shared_ptr<RecordedRun>> opened(infos.size());
        parallel(infos.size(), [&](std::size_t i) {
            if (auto run = roots_[r].catalogue->run(infos[i].id)) {
                opened[i] = *run;
            }
            loaded[i] = make_details(r, infos[i], opened[i].get());
        });
        for (std::size_t i = 0; i < infos.size(); ++i) {
            if (opened[i]) {
                open_[loaded[i]->id] = opened[i];
            }
            by_id_[loaded[i]->id] = loaded[i];
            list->push_back(loaded[i]);
        }
    }
    std::ranges::stable_sort(*list, [](const auto& a, const auto& b) {
        return a->info.start_time_ns > b->info.start_time_ns;
    });
    list_ = std::move(list);
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
    std::shared_ptr<const RunDetails> details;
    {
        const std::shared_lock lock(mutex_);
        if (const auto open = open_.find(id); open != open_.end()) {
            return open->second;
        }
        const auto found = by_id_.find(id);
        if (found == by_id_.end()) {
            return Error{ErrorCode::NotFound, "there is no run '" + std::string(id) + "'"};
        }
        details = found->second;
    }
    auto opened = roots_[details->root].catalogue->run(details->info.id);
    if (opened) {
        const std::unique_lock lock(mutex_);
        open_[details->id] = *opened;
    }
    return opened;
}

void Workspace::refresh() {
    const std::lock_guard one_at_a_time(refresh_mutex_);
    std::vector<std::string> changed;
    std::vector<std::shared_ptr<const RunDetails>> before, now;
    bool list_changed = false;
    for (std::size_t r = 0; r < roots_.size(); ++r) {
        auto ids = roots_[r].catalogue->refresh();
        if (!ids) {
            continue;
        }
        const std::set<std::string> touched(ids->begin(), ids->end());
        if (touched.empty()) {
            continue;
        }
        std::map<std::string, RunInfo, std::less<>> current;
        for (RunInfo& info : roots_[r].catalogue->runs(true)) {
            if (touched.contains(info.id)) {
                current.emplace(info.id, std::move(info));
            }
        }
        for (const std::string& id : touched) {
            const std::string global = global_id(r, id);
            const auto found = current.find(id);
            std::shared_ptr<const RunDetails> old = details(global), fresh;
            if (found != current.end()) {
                auto opened = run(global);
                if (!opened) {
                    opened = roots_[r].catalogue->run(id);
                }
                if (opened) {
                    [[maybe_unused]] const auto grew = (*opened)->refresh();
                }
                fresh = make_details(r, found->second, opened ? opened->get() : nullptr);
                if (old && opened && old->revision == fresh->revision &&
                    old->info.state == fresh->info.state) {
                    continue;
                }
                const std::unique_lock lock(mutex_);
                by_id_[global] = fresh;
                if (opened) {
                    open_[global] = *opened;
                }
            } else {
                const std::unique_lock lock(mutex_);
                by_id_.erase(global);
                open_.erase(global);
            }
            changed.push_back(global);
            before.push_back(old);
            now.push_back(fresh);
            list_changed = true;
        }
    }
    if (!list_changed) {
        return;
    }
    rebuild_list();
    publish_changes(changed, before, now);
}

void Workspace::rebuild_list() {
    auto list = std::make_shared<RunList>();
    const std::unique_lock lock(mutex_);
    for (const auto& [id, details] : by_id_) {
        list->push_back(details);
    }
    std::ranges::stable_sort(*list, [](const auto& a, const auto& b) {
        return a->info.start_time_ns > b->info.start_time_ns;
    });
    list_ = std::move(list);
    ++revision_;
}

void Workspace::refresh_marks(const std::vector<std::string>& ids) {
    const std::lock_guard one_at_a_time(refresh_mutex_);
    std::vector<std::shared_ptr<const RunDetails>> before, now;
    for (const std::string& id : ids) {
        const auto old = details(id);
        auto opened = run(id);
        if (!old || !opened) {
            before.push_back(nullptr);
            now.push_back(nullptr);
            continue;
        }
        [[maybe_unused]] const auto grew = (*opened)->refresh();
        auto fresh = make_details(old->root, old->info, opened->get());
        {
            const std::unique_lock lock(mutex_);
            by_id_[id] = fresh;
        }
        before.push_back(old);
        now.push_back(std::move(fresh));
    }
    rebuild_list();
    publish_changes(ids, before, now);
}

// Growth of a known run is a `series` event; everything else (new, ended, edited, gone) is a `runs`
// event.
void Workspace::publish_changes(const std::vector<std::string>& changed,
                                const std::vector<std::shared_ptr<const RunDetails>>& before,
                                const std::vector<std::shared_ptr<const RunDetails>>& now) {
    std::vector<std::string> runs;
    JsonWriter series;
    series.begin_object().member("revision", revision()).key("grew").begin_array();
    bool any_growth = false;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        const auto& old = before[i];
        const auto& fresh = now[i];
        const bool row_changed =
            !old || !fresh || old->info.state != fresh->info.state ||
            old->info.name != fresh->info.name || old->info.tags != fresh->info.tags ||
            old->info.notes != fresh->info.notes || old->info.color != fresh->info.color ||
            old->info.archived != fresh->info.archived ||
            old->info.deleted != fresh->info.deleted || old->info.config != fresh->info.config ||
            old->info.message != fresh->info.message || old->keys.size() != fresh->keys.size();
        if (row_changed) {
            runs.push_back(changed[i]);
        }
        if (!fresh) {
            continue;
        }
        std::vector<const KeyInfo*> grown;
        for (const KeyInfo& key : fresh->keys) {
            const KeyInfo* earlier = old ? old->key(key.key, key.kind) : nullptr;
            if (earlier == nullptr || earlier->count != key.count ||
                earlier->scalar.last_time_ns != key.scalar.last_time_ns) {
                grown.push_back(&key);
            }
        }
        if (grown.empty()) {
            continue;
        }
        any_growth = true;
        series.begin_object().member("run", changed[i]).key("keys").begin_array();
        for (const KeyInfo* key : grown) {
            series.value(key->key);
        }
        series.end_array().key("counts").begin_array();
        for (const KeyInfo* key : grown) {
            series.value(key->count);
        }
        series.end_array().key("last_step").begin_array();
        for (const KeyInfo* key : grown) {
            series.value(key->scalar.last_step);
        }
        series.end_array().end_object();
    }
    series.end_array().end_object();
    if (!runs.empty()) {
        JsonWriter json;
        json.begin_object().member("revision", revision()).key("runs").begin_array();
        if (runs.size() <= kNamedChanges) {
            for (const std::string& id : runs) {
                json.value(id);
            }
        }
        json.end_array();
        if (runs.size() > kNamedChanges) {
            json.member("all", true);
        }
        json.end_object();
        hub_.publish("runs", std::move(json).take());
    }
    if (any_growth) {
        hub_.publish("series", std::move(series).take());
    }
}

void Workspace::start_watching() {
    watcher_ = std::thread([this] {
        std::unique_lock lock(watch_mutex_);
        for (unsigned turn = 1;
             !watch_wake_.wait_for(lock, kWatchEvery, [this] { return stop_watching_; }); ++turn) {
            lock.unlock();
            refresh();
            // Answers of many megabytes come and go; what they leave behind goes back to the
            // system.
            if (turn % kTrimEvery == 0) {
                lines_.forget_unused_since(LineCache::Clock::now() - kLinesKeptFor);
                malloc_trim(0);
            }
            lock.lock();
        }
    });
}

void Workspace::stop_watching() {
    {
        const std::lock_guard lock(watch_mutex_);
        stop_watching_ = true;
    }
    watch_wake_.notify_all();
    if (watcher_.joinable()) {
        watcher_.join();
    }
    hub_.close();
}

}  // namespace taffrail::server
