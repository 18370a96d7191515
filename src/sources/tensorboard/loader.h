// Reads many runs at once: parallel over runs, over files, and inside large files.
#pragma once

#include "sources/tensorboard/run.h"

#include <memory>
#include <span>

namespace taffrail::sources::tensorboard {

/// Where a load stands; the data server and the benchmarks tune it.
struct LoadOptions {
    unsigned threads = 0;  ///< 0 = one per core
    std::uint64_t segment_bytes = std::uint64_t{16}
                                  << 20;  ///< files are cut into pieces of about this size
};

/// Brings every run up to date with its files. Runs are independent: what is wrong with one stays
/// with it. Returns for each run whether anything changed.
std::vector<bool> load_runs(std::span<const std::shared_ptr<TensorboardRun>> runs,
                            const LoadOptions& options = {});

}  // namespace taffrail::sources::tensorboard
