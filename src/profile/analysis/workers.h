// Several workers of one training side by side: who computes, who waits for whom. A worker may have
// left several traces, of windows one after the other: one of them is compared, not the worker with
// its own past.
#pragma once

#include "profile/analysis/analysis.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace taffrail::profile::analysis {

struct WorkerStep {
    std::string name;
    Overlap overlap;
    /// Of the communication: moving data, and waiting for the last worker to come.
    std::int64_t transfer_ns = 0, wait_ns = 0;
};

struct WorkerView {
    std::string worker;
    std::int64_t rank = -1;
    std::vector<std::string> devices;  ///< "GPU 0: NVIDIA H200"
    std::vector<WorkerStep> steps;
    std::vector<CollectiveRow> collectives;  ///< with transfer times
    Breakdown sum;
};

struct Workers {
    std::vector<WorkerView> all;  ///< by rank, else in the order given
    std::string straggler;        ///< the worker that the others wait for most; empty where none
    std::int64_t straggler_wait_ns = 0;  ///< what the others waited for it
    /// Empty, or why transfer and waiting cannot be told apart.
    std::string why_not;
    std::size_t other_windows = 0;        ///< traces of the same workers at other times
    std::size_t too_many = 0;             ///< workers beyond those that whoever asked can take
    std::vector<std::string> unreadable;  ///< traces of workers that are missing here

    /// Which traces are not among them, and why; a line each.
    [[nodiscard]] std::vector<std::string> notes() const;
};

/// Of the traces of some workers one of each: that of the last window which all of them have.
/// Places in `traces`, in their order. Traces whose window is not said stand for themselves.
std::vector<std::size_t> one_window_each(std::span<const WorkerWindow> traces);

/// Names of processes that had ended when another began on the same host: the training was started
/// again, and they are what it was before. Of traces that say no rank; a process is told by a name
/// such as "host_4711".
std::set<std::string, std::less<>> former_processes(std::span<const Analysis* const> traces);

/// Puts the analyses of all workers of one training together. A rank that was started again is one
/// worker, and where the traces say no rank, so are processes of a host one after the other.
Workers compare_workers(std::span<const Analysis* const> traces);
Workers compare_workers(std::span<const Analysis> traces);

}  // namespace taffrail::profile::analysis
