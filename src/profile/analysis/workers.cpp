#include "profile/analysis/workers.h"

#include "profile/analysis/ranges.h"

#include <algorithm>
#include <limits>
#include <map>

namespace taffrail::profile::analysis {
namespace {

/// Why the calls of the workers cannot be put beside each other, or "".
std::string why_not(std::span<const Analysis> workers) {
    if (workers.size() < 2) {
        return "one worker: who waits for whom needs the traces of all";
    }
    for (const Analysis& worker : workers) {
        if (worker.collective_calls.empty()) {
            return "worker " + worker.worker + " has no collective operations";
        }
        if (worker.collective_calls.size() != workers[0].collective_calls.size()) {
            return "the workers have different numbers of collective operations";
        }
        for (std::size_t index = 0; index < worker.collective_calls.size(); ++index) {
            if (worker.collective_calls[index].ranges.size() !=
                workers[0].collective_calls[index].ranges.size()) {
                return "a collective operation has different numbers of kernels on the workers";
            }
        }
    }
    return {};
}

/// For every call and range: moving data takes as long as on the worker that took least, since that
/// one came last and waited for nobody.
struct Transfers {
    std::map<std::string, Ranges> by_step, by_name;
};

Transfers transfers_of(std::span<const Analysis> workers, const Analysis& worker) {
    Transfers made;
    for (std::size_t index = 0; index < worker.collective_calls.size(); ++index) {
        const CollectiveCall& call = worker.collective_calls[index];
        for (std::size_t range = 0; range < call.ranges.size(); ++range) {
            std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
            for (const Analysis& other : workers) {
                const auto& [begin, end] = other.collective_calls[index].ranges[range];
                shortest_ns = std::min(shortest_ns, end - begin);
            }
            const std::int64_t end_ns = call.ranges[range].second;
            made.by_step[call.step].push_back({end_ns - shortest_ns, end_ns});
            made.by_name[call.name].push_back({end_ns - shortest_ns, end_ns});
        }
    }
    return made;
}

WorkerView view_of(const Analysis& worker, const Transfers& transfers, bool is_known) {
    WorkerView view{.worker = worker.worker, .rank = worker.rank, .sum = worker.steps.sum};
    for (const Device& device : worker.devices) {
        view.devices.push_back("GPU " + std::to_string(device.id) +
                               (device.name.empty() ? std::string() : ": " + device.name));
    }
    std::map<std::string, Ranges> communication;
    for (const CollectiveCall& call : worker.collective_calls) {
        for (const auto& [begin, end] : call.ranges) {
            communication[call.step].push_back({begin, end});
        }
    }
    const auto length = [](const std::map<std::string, Ranges>& all, const std::string& name) {
        const auto found = all.find(name);
        return found == all.end() ? 0 : length_of(merged(found->second));
    };
    for (const Step& step : worker.steps.all) {
        WorkerStep row{.name = step.name, .overlap = step.overlap};
        if (is_known) {
            row.transfer_ns = length(transfers.by_step, step.name);
            row.wait_ns =
                std::max<std::int64_t>(length(communication, step.name) - row.transfer_ns, 0);
        }
        view.steps.push_back(std::move(row));
    }
    view.collectives = worker.collectives;
    for (CollectiveRow& row : view.collectives) {
        row.transfer_ns = is_known ? length(transfers.by_name, row.name) : 0;
    }
    return view;
}

/// The worker that waits least is the one that comes last.
void find_straggler(Workers& workers) {
    std::vector<std::int64_t> waits;
    for (const WorkerView& view : workers.all) {
        std::int64_t wait_ns = 0;
        for (const WorkerStep& step : view.steps) {
            add_to(wait_ns, step.wait_ns);
        }
        waits.push_back(wait_ns);
    }
    const auto least = std::min_element(waits.begin(), waits.end());
    const auto most = std::max_element(waits.begin(), waits.end());
    if (*least == *most) {
        return;
    }
    workers.straggler = workers.all[static_cast<std::size_t>(least - waits.begin())].worker;
    for (const std::int64_t wait_ns : waits) {
        add_to(workers.straggler_wait_ns, wait_ns - *least);
    }
}

}  // namespace

Workers compare_workers(std::span<const Analysis> workers) {
    Workers made;
    made.why_not = why_not(workers);
    const bool is_known = made.why_not.empty();
    for (const Analysis& worker : workers) {
        made.all.push_back(
            view_of(worker, is_known ? transfers_of(workers, worker) : Transfers{}, is_known));
    }
    std::stable_sort(
        made.all.begin(), made.all.end(),
        [](const WorkerView& left, const WorkerView& right) { return left.rank < right.rank; });
    if (is_known) {
        find_straggler(made);
    }
    return made;
}

}  // namespace taffrail::profile::analysis
