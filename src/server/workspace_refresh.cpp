// Following the roots: what changed is taken in, put into the list and told to open pages.
#include "codec/json_writer.h"
#include "seal/page_cache.h"
#include "server/workspace.h"

#include <malloc.h>

#include <algorithm>

namespace taffrail::server {
namespace {

constexpr std::chrono::milliseconds kWatchEvery{200};
// A source that has to look at all its files is left in peace for a multiple of what that took.
constexpr int kRestFactor = 50;
constexpr std::chrono::seconds kLongestRest{10};
constexpr std::chrono::seconds kRestAfterFailure{1};
constexpr std::size_t kNamedChanges = 1000;
constexpr unsigned kTrimEvery = 10;
// Decoded points are kept for a hand on a slider or a wheel; having them again costs milliseconds.
constexpr std::chrono::seconds kUnusedKeptFor{10};
constexpr unsigned kUnusedKeptTurns = kUnusedKeptFor / (kTrimEvery * kWatchEvery);

}  // namespace

void Workspace::refresh() noexcept {
    try {
        look_at_roots();
    } catch (...) {
        // Memory is short, or something nobody thought of: the next look is soon enough, and a
        // server that ended would answer nobody.
    }
}

void Workspace::look_at_roots() {
    const std::lock_guard one_at_a_time(refresh_mutex_);
    Changes changes;
    for (std::size_t r = 0; r < roots_.size(); ++r) {
        if (std::chrono::steady_clock::now() >= roots_[r].due) {
            look_at_root(r, changes);
        }
    }
    if (!changes.ids.empty()) {
        update_list(changes);
        publish_changes(changes);
    }
}

void Workspace::look_at_root(std::size_t root, Changes& changes) {
    using Clock = std::chrono::steady_clock;
    Root& followed = roots_[root];
    const auto started = Clock::now();
    followed.due = started + kRestAfterFailure;
    const auto found = model::follow(*followed.catalogue);
    const bool is_cheap = dynamic_cast<model::Followed*>(followed.catalogue.get()) != nullptr;
    followed.due = is_cheap
                       ? started
                       : Clock::now() + std::min<Clock::duration>(
                                            (Clock::now() - started) * kRestFactor, kLongestRest);
    if (!found) {
        return;  // gone for a while, such as a network drive; it is asked again
    }
    for (const model::RunChange& change : *found) {
        take_in(root, change, changes);
    }
}

void Workspace::take_in(std::size_t root, const model::RunChange& change, Changes& changes) {
    const std::string id = global_id(root, change.id);
    const std::shared_ptr<const RunDetails> old = details(id);
    std::shared_ptr<const RunDetails> fresh;
    if (change.info) {
        fresh = read_details(root, *change.info);
        if (old && old->revision == fresh->revision && old->info.state == fresh->info.state &&
            old->info.message == fresh->info.message) {
            return;
        }
        const std::unique_lock lock(mutex_);
        by_id_[id] = fresh;
    } else {
        open_.drop(id);
        const std::unique_lock lock(mutex_);
        by_id_.erase(id);
    }
    changes.ids.push_back(id);
    changes.before.push_back(old);
    changes.now.push_back(fresh);
}

// Most changes are the growth of a run that is in its place already: then the others stay where
// they are.
void Workspace::update_list(const Changes& changes) {
    const auto keeps_its_place = [](const auto& before, const auto& now) {
        return before && now && before->info.start_time_ns == now->info.start_time_ns;
    };
    bool in_place = true;
    for (std::size_t i = 0; i < changes.ids.size(); ++i) {
        in_place = in_place && keeps_its_place(changes.before[i], changes.now[i]);
    }
    auto list = std::make_shared<RunList>();
    if (in_place) {
        *list = *runs();
        for (const auto& now : changes.now) {
            auto [first, end] = std::ranges::equal_range(*list, now, newer);
            const auto place =
                std::find_if(first, end, [&now](const auto& each) { return each->id == now->id; });
            if (place != end) {
                *place = now;
            }
        }
    }
    const std::unique_lock lock(mutex_);
    if (!in_place) {
        for (const auto& [id, details] : by_id_) {
            list->push_back(details);
        }
        std::ranges::stable_sort(*list, newer);
    }
    list_ = std::move(list);
    ++revision_;
}

void Workspace::refresh_marks(const std::vector<std::string>& ids) {
    const std::lock_guard one_at_a_time(refresh_mutex_);
    Changes changes;
    for (const std::string& id : ids) {
        const auto old = details(id);
        std::shared_ptr<const RunDetails> fresh;
        if (old) {
            fresh = read_details(old->root, old->info);
            const std::unique_lock lock(mutex_);
            by_id_[id] = fresh;
        }
        changes.ids.push_back(id);
        changes.before.push_back(old);
        changes.now.push_back(std::move(fresh));
    }
    update_list(changes);
    publish_changes(changes);
}

// Growth of a known run is a `series` event; everything else (new, ended, edited, gone) is a `runs`
// event.
void Workspace::publish_changes(const Changes& changes) {
    std::vector<std::string> runs;
    JsonWriter series;
    series.begin_object().member("revision", revision()).key("grew").begin_array();
    bool any_growth = false;
    for (std::size_t i = 0; i < changes.ids.size(); ++i) {
        const auto& old = changes.before[i];
        const auto& fresh = changes.now[i];
        const bool row_changed =
            !old || !fresh || old->info.state != fresh->info.state ||
            old->info.name != fresh->info.name || old->info.tags != fresh->info.tags ||
            old->info.notes != fresh->info.notes || old->info.color != fresh->info.color ||
            old->info.archived != fresh->info.archived ||
            old->info.deleted != fresh->info.deleted || old->info.config != fresh->info.config ||
            old->info.message != fresh->info.message || old->keys.size() != fresh->keys.size();
        if (row_changed) {
            runs.push_back(changes.ids[i]);
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
        series.begin_object().member("run", changes.ids[i]).key("keys").begin_array();
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
    watcher_ = std::thread([this] { watch(); });
}

void Workspace::watch() {
    std::unique_lock lock(watch_mutex_);
    for (unsigned turn = 1;
         !watch_wake_.wait_for(lock, kWatchEvery, [this] { return stop_watching_; }); ++turn) {
        lock.unlock();
        refresh();
        // Answers of many megabytes come and go; what they leave behind goes back to the system.
        if (turn % kTrimEvery == 0) {
            lines().forget_unused_since(query::LineCache::Clock::now() - kUnusedKeptFor);
            seal::PageCache::shared().forget_unused_for(kUnusedKeptTurns);
            malloc_trim(0);
        }
        lock.lock();
    }
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
