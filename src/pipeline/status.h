// How a run stands, as text: progress, time, metrics, GPUs.
#pragma once

#include <taffrail/routine.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::pipeline {

/// What log_iter() calls say about the progress of a training.
class RunProgress {
  public:
    RunProgress();

    void seen(const DataMap& data);

    /// An epoch of this phase is over; the other phases may be in the middle of theirs.
    void forget_metrics(Phase phase) { means_[static_cast<std::size_t>(phase)].clear(); }

    [[nodiscard]] double elapsed_seconds() const;
    /// From the share of training epochs and batches done; negative when it is not known.
    [[nodiscard]] double seconds_left() const;

    struct Mean {
        double sum = 0;
        std::int64_t count = 0;
    };

    /// By name, sorted.
    using Means = std::vector<std::pair<std::string, Mean>>;

    /// Of the numbers seen in this phase since its last epoch.
    [[nodiscard]] const Means& means(Phase phase) const {
        return means_[static_cast<std::size_t>(phase)];
    }

    [[nodiscard]] std::int64_t max_epochs() const { return max_epochs_; }

  private:
    std::int64_t begin_ns_;
    double begun_at_ = -1;  ///< share done when the first call came: a resumed run does not count
                            ///< what was done before
    double done_ = 0;
    std::int64_t max_epochs_ = 0;
    std::array<Means, 8> means_;  ///< by phase: validation runs inside a train epoch
};

/// One GPU as the status block shows it. Numbers below 0 are not known.
struct GpuStatus {
    std::string name;
    double memory_used_bytes = -1, memory_total_bytes = -1, utilisation_percent = -1;
};

/// The GPUs of this machine, read now; none without a driver. About 0.1 ms a GPU after the first
/// call.
std::vector<GpuStatus> read_gpu_status();

/// `train  epoch 3/9  batch 40/100  …`, with its newline.
std::string status_line(const RunProgress& progress, const DataMap& data, std::int64_t iteration);
/// The block at the end of an epoch.
std::string epoch_block(const RunProgress& progress, Phase phase, std::int64_t epoch,
                        std::int64_t iterations, bool with_gpus);

}  // namespace taffrail::pipeline
