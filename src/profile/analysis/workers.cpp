#include "profile/analysis/workers.h"

#include "profile/analysis/ranges.h"

#include <algorithm>
#include <limits>
#include <map>

namespace taffrail::profile::analysis {
namespace {

using Traces = std::span<const Analysis* const>;

/// Why the calls of the workers cannot be put beside each other, or "".
std::string why_not(Traces workers) {
    if (workers.size() < 2) {
        return "one worker: who waits for whom needs the traces of all";
    }
    const std::vector<CollectiveCall>& first = workers[0]->collective_calls;
    for (const Analysis* worker : workers) {
        const std::vector<CollectiveCall>& calls = worker->collective_calls;
        if (calls.empty()) {
            return "worker " + worker->worker + " has no collective operations";
        }
        if (calls.size() != first.size()) {
            return "the workers have different numbers of collective operations";
        }
        for (std::size_t index = 0; index < calls.size(); ++index) {
            if (calls[index].ranges.size() != first[index].ranges.size()) {
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

Transfers transfers_of(Traces workers, const Analysis& worker) {
    Transfers made;
    for (std::size_t index = 0; index < worker.collective_calls.size(); ++index) {
        const CollectiveCall& call = worker.collective_calls[index];
        for (std::size_t range = 0; range < call.ranges.size(); ++range) {
            std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
            for (const Analysis* other : workers) {
                const auto& [begin, end] = other->collective_calls[index].ranges[range];
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

/// "host" of "host_4711"; "" of other names.
std::string_view host_of(std::string_view worker) {
    const std::size_t line = worker.rfind('_');
    return line == std::string_view::npos || line + 1 == worker.size() ||
                   worker.find_first_not_of("0123456789", line + 1) != std::string_view::npos
               ? std::string_view()
               : worker.substr(0, line);
}

}  // namespace

std::vector<std::string> Workers::notes() const {
    std::vector<std::string> lines;
    if (other_windows > 0) {
        lines.push_back("of each worker the last window that all of them have is compared; " +
                        std::to_string(other_windows) +
                        (other_windows == 1 ? " trace is" : " traces are") +
                        " of other windows or of earlier starts");
    }
    if (too_many > 0) {
        lines.push_back(std::to_string(too_many) + (too_many == 1 ? " worker is" : " workers are") +
                        " not among these: the traces of " + std::to_string(all.size()) +
                        " are compared");
    }
    for (const std::string& trace : unreadable) {
        lines.push_back(trace + " cannot be read");
    }
    return lines;
}

std::vector<std::size_t> one_window_each(std::span<const WorkerWindow> traces) {
    std::map<std::string_view, std::vector<std::size_t>> windows;
    for (std::size_t index = 0; index < traces.size(); ++index) {
        if (traces[index].window >= 0) {
            windows[traces[index].worker].push_back(index);
        }
    }
    std::size_t common = std::numeric_limits<std::size_t>::max();
    for (auto& [worker, its] : windows) {
        std::stable_sort(its.begin(), its.end(), [&](std::size_t left, std::size_t right) {
            return traces[left].window < traces[right].window;
        });
        common = std::min(common, its.size());
    }
    std::vector<std::size_t> taken;
    for (std::size_t index = 0; index < traces.size(); ++index) {
        if (traces[index].window < 0) {
            taken.push_back(index);
        }
    }
    for (const auto& [worker, its] : windows) {
        taken.push_back(its[common - 1]);
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

std::set<std::string, std::less<>> former_processes(std::span<const Analysis* const> traces) {
    struct Life {
        std::int64_t begin_ns, end_ns;
        std::string_view process;
    };

    std::map<std::string_view, std::map<std::string_view, Life>> hosts;
    for (const Analysis* trace : traces) {
        const std::string_view host = host_of(trace->worker);
        if (trace->rank >= 0 || trace->events == 0 || host.empty()) {
            continue;
        }
        const auto [place, is_new] = hosts[host].try_emplace(
            trace->worker, Life{trace->begin_ns, trace->end_ns, trace->worker});
        place->second.begin_ns = std::min(place->second.begin_ns, trace->begin_ns);
        place->second.end_ns = std::max(place->second.end_ns, trace->end_ns);
    }
    std::set<std::string, std::less<>> former;
    for (const auto& [host, processes] : hosts) {
        std::vector<Life> lives;
        for (const auto& [process, life] : processes) {
            lives.push_back(life);
        }
        std::sort(lives.begin(), lives.end(), [](const Life& left, const Life& right) {
            return left.begin_ns < right.begin_ns;
        });
        // Those that were there together are one start of the training.
        std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
        std::size_t first_of_start = 0;
        for (std::size_t index = 0; index < lives.size(); ++index) {
            first_of_start = lives[index].begin_ns >= end_ns ? index : first_of_start;
            end_ns = std::max(end_ns, lives[index].end_ns);
        }
        for (std::size_t index = 0; index < first_of_start; ++index) {
            former.emplace(lives[index].process);
        }
    }
    return former;
}

Workers compare_workers(std::span<const Analysis* const> given) {
    const auto former = former_processes(given);
    std::vector<const Analysis*> traces;
    for (const Analysis* trace : given) {
        if (trace->rank >= 0 || !former.contains(trace->worker)) {
            traces.push_back(trace);
        }
    }
    std::vector<WorkerWindow> windows;
    for (const Analysis* trace : traces) {
        windows.push_back({trace->rank >= 0 ? "rank " + std::to_string(trace->rank) : trace->worker,
                           trace->window});
    }
    std::vector<const Analysis*> workers;
    for (const std::size_t index : one_window_each(windows)) {
        workers.push_back(traces[index]);
    }
    Workers made;
    made.other_windows = given.size() - workers.size();
    made.why_not = why_not(workers);
    const bool is_known = made.why_not.empty();
    for (const Analysis* worker : workers) {
        made.all.push_back(
            view_of(*worker, is_known ? transfers_of(workers, *worker) : Transfers{}, is_known));
    }
    std::stable_sort(
        made.all.begin(), made.all.end(),
        [](const WorkerView& left, const WorkerView& right) { return left.rank < right.rank; });
    if (is_known) {
        find_straggler(made);
    }
    return made;
}

Workers compare_workers(std::span<const Analysis> traces) {
    std::vector<const Analysis*> places;
    for (const Analysis& trace : traces) {
        places.push_back(&trace);
    }
    return compare_workers(std::span<const Analysis* const>(places));
}

}  // namespace taffrail::profile::analysis
