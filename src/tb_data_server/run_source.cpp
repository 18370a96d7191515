#include "tb_data_server/run_source.h"

#include "base/clock.h"
#include "codec/formats/tensorboard/event.h"
#include "io/files.h"
#include "sources/tensorboard/catalogue.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

namespace taffrail::tb_data_server {

ReloadingSource::ReloadingSource(std::string logdir, std::optional<int> reload_seconds,
                                 bool verbose)
    : logdir_(std::move(logdir)),
      reload_seconds_(reload_seconds),
      verbose_(verbose),
      thread_([this] { work(); }) {}

ReloadingSource::~ReloadingSource() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
}

void ReloadingSource::work() {
    std::shared_ptr<Catalogue> catalogue;
    for (;;) {
        const std::int64_t begin = monotonic_ns();
        if (!catalogue) {
            // A folder that is not there yet is no error: TensorBoard may be started before the
            // first run.
            if (auto opened = read(logdir_); opened.ok()) {
                catalogue = *std::move(opened);
            } else if (auto events = sources::tensorboard::open_logdir(logdir_);
                       events.ok() && io::exists(logdir_)) {
                catalogue = *std::move(events);
            }
        } else {
            const auto refreshed = catalogue->refresh();
            if (!refreshed.ok() && verbose_) {
                std::fprintf(stderr, "taffrail-tb-data-server: %s\n",
                             refreshed.error().message.c_str());
            }
        }
        if (catalogue) {
            take(*catalogue);
            if (catalogue->runs().empty()) {
                catalogue.reset();  // what kind of folder this is shows only with its first run
            }
        }
        if (verbose_) {
            std::fprintf(stderr, "taffrail-tb-data-server: read %s in %.0f ms\n", logdir_.c_str(),
                         static_cast<double>(monotonic_ns() - begin) / 1e6);
        }
        std::unique_lock lock(mutex_);
        const auto stopping = [&] { return stopping_; };
        if (!reload_seconds_) {
            stop_.wait(lock, stopping);
        } else {
            stop_.wait_for(lock, std::chrono::seconds(std::max(*reload_seconds_, 1)), stopping);
        }
        if (stopping_) {
            return;
        }
    }
}

void ReloadingSource::take(const Catalogue& catalogue) {
    std::map<std::string, Named> by_name;
    for (const RunInfo& info : catalogue.runs()) {
        auto run = catalogue.run(info.id);
        if (!run.ok() || (*run)->keys().empty()) {
            continue;  // an empty run has no place in TensorBoard's lists
        }
        // Event-file runs are called by their path; ours by their name, told apart by the id where
        // names repeat.
        std::string name = info.source == "tensorboard" || info.name.empty() ? info.id : info.name;
        if (by_name.contains(name)) {
            name += " (" + info.id + ")";
        }
        by_name[name] = {name, formats::tensorboard::to_seconds(info.start_time_ns), *run};
    }
    std::vector<Named> runs;
    for (auto& [name, named] : by_name) {
        runs.push_back(std::move(named));
    }
    std::lock_guard lock(mutex_);
    runs_ = std::move(runs);
}

std::vector<RunSource::Named> ReloadingSource::runs() const {
    std::lock_guard lock(mutex_);
    return runs_;
}

std::shared_ptr<RecordedRun> ReloadingSource::find(const std::string& name) const {
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(runs_.begin(), runs_.end(),
                                    [&](const Named& named) { return named.name == name; });
    return found != runs_.end() ? found->run : nullptr;
}

}  // namespace taffrail::tb_data_server
