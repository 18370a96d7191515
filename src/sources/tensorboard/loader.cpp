#include "sources/tensorboard/loader.h"

#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace taffrail::sources::tensorboard {
namespace {

struct RunLoad {
    std::vector<TensorboardRun::Task> tasks;
    std::atomic<std::size_t> left{0};
    bool changed = false;
};

struct TaskRef {
    std::uint32_t run = 0, task = 0;
};

}  // namespace

std::vector<bool> load_runs(std::span<const std::shared_ptr<TensorboardRun>> runs,
                            const LoadOptions& options) {
    unsigned threads =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    threads = std::min<unsigned>(threads, 64);
    const std::uint64_t segment = threads == 1 ? UINT64_MAX : options.segment_bytes;
    std::vector<RunLoad> loads(runs.size());

    // First pass: what is there to read. It is all system calls, so it runs on all threads too.
    const unsigned planners = runs.size() < 64 ? 1 : threads;
    for_each_index(runs.size(), planners, [&](std::size_t run) {
        loads[run].tasks = runs[run]->plan(segment);
        loads[run].left = loads[run].tasks.size();
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
    for_each_index(order.size(), threads, [&](std::size_t at) {
        RunLoad& load = loads[order[at].run];
        TensorboardRun::perform(load.tasks[order[at].task]);
        if (load.left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            load.changed = runs[order[at].run]->finish(std::move(load.tasks));
        }
    });
    std::vector<bool> changed;
    changed.reserve(loads.size());
    for (const RunLoad& load : loads) {
        changed.push_back(load.changed);
    }
    return changed;
}

}  // namespace taffrail::sources::tensorboard
