#include "system/load_monitor.h"

#include "base/clock.h"
#include "base/quiet_thread.h"
#include "system/host_load.h"
#include "system/nvml.h"

#include <algorithm>
#include <memory>

namespace taffrail::system {

LoadMonitor::LoadMonitor(LoadOptions options, LoadCallback callback)
    : options_(std::move(options)), callback_(std::move(callback)) {
    thread_ = start_quiet_thread("taffrail-load", [this] { run(); });
}

LoadMonitor::~LoadMonitor() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void LoadMonitor::run() {
    HostLoad host({.root = "", .folder = options_.folder, .ticks_per_second = 0});
    std::unique_ptr<Nvml> nvml;
    if (options_.gpus) {
        if (auto opened = Nvml::open(); opened.ok()) {
            nvml = *std::move(opened);
        }
    }
    host.sample(monotonic_ns(),
                [](std::string_view, double) {});  // so that the first reading has rates
    std::vector<std::pair<std::string, double>> readings;
    const ReadingSink add = [&](std::string_view key, double value) {
        readings.emplace_back(key, value);
    };
    auto next = std::chrono::steady_clock::now() + options_.interval;
    for (int beat = 0;; ++beat) {
        {
            std::unique_lock lock(mutex_);
            if (wake_.wait_until(lock, next, [this] { return stopping_; })) {
                return;
            }
        }
        readings.clear();
        host.sample(monotonic_ns(), add);
        if (nvml) {
            nvml->sample(add);
            if (beat % options_.slow_every == 0) {
                nvml->sample_slow(add);
            }
        }
        callback_(readings);
        // A suspended laptop must not cause a burst of readings afterwards.
        next = std::max(next + options_.interval, std::chrono::steady_clock::now());
    }
}

}  // namespace taffrail::system
