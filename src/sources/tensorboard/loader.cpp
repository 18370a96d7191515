#include "sources/tensorboard/loader.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace taffrail::tensorboard {
namespace {

struct RunLoad {
    std::vector<TensorboardRun::Task> tasks;
    std::atomic<std::size_t> left{0};
    bool changed = false;
};

struct TaskRef {
    std::uint32_t run = 0, task = 0;
};

template <typename Work>
void on_threads(unsigned threads, Work&& work) {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) {
        helpers.emplace_back(work);
    }
    work();
}

}  // namespace

std::vector<bool> load_runs(std::span<const std::shared_ptr<TensorboardRun>> runs,
                            const LoadOptions& options) {
    unsigned threads =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    threads = std::min<unsigned>(threads, 64);
    const std::uint64_t segment = threads == 1 ? UINT64_MAX : options.segment_bytes;
    std::vector<RunLoad> loads(runs.size());

    // First pass: what is there to read. It is all system calls, so it runs on all threads too.
    std::atomic<std::size_t> next_run{0};
    const unsigned planners = runs.size() < 64 ? 1 : threads;
    on_threads(planners, [&] {
        for (std::size_t run = next_run++; run < runs.size(); run = next_run++) {
            loads[run].tasks = runs[run]->plan(segment);
            loads[run].left = loads[run].tasks.size();
        }
    });
    std::vector<TaskRef> order;
    for (std::uint32_t run = 0; run < loads.size(); ++run) {
        for (std::uint32_t task = 0; task < loads[run].tasks.size(); ++task) {
            order.push_back({run, task});
        }
        if (loads[run].tasks.empty()) {
            loads[run].changed = runs[run]->finish({});
        }
    }
    // Second pass: read. Whoever finishes the last piece of a run joins it, so results do not pile
    // up.
    std::atomic<std::size_t> next_task{0};
    const auto work = [&] {
        for (std::size_t at = next_task++; at < order.size(); at = next_task++) {
            RunLoad& load = loads[order[at].run];
            TensorboardRun::perform(load.tasks[order[at].task]);
            if (load.left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                load.changed = runs[order[at].run]->finish(std::move(load.tasks));
            }
        }
    };
    on_threads(static_cast<unsigned>(
                   std::min<std::size_t>(threads, std::max<std::size_t>(order.size(), 1))),
               work);
    std::vector<bool> changed;
    changed.reserve(loads.size());
    for (const RunLoad& load : loads) {
        changed.push_back(load.changed);
    }
    return changed;
}

}  // namespace taffrail::tensorboard
