// Several workers of one training side by side: who computes, who waits for whom.
#pragma once

#include "profile/analysis/analysis.h"

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
};

/// Puts the analyses of all workers of one training together.
Workers compare_workers(std::span<const Analysis> workers);

}  // namespace taffrail::profile::analysis
