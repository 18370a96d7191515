// How busy the machine is: processor, memory, disks, network, this process and its limits.
#pragma once

#include "system/cgroup.h"
#include "system/proc_text.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace taffrail::system {

/// Receives one reading; keys are like "system/cpu/percent", units stand in their names.
using ReadingSink = std::function<void(std::string_view key, double value)>;

struct HostLoadOptions {
    std::string root;           ///< in front of /proc and /sys, for fixture trees
    std::string folder = ".";   ///< whose file system's fill level is reported (the run's root)
    long ticks_per_second = 0;  ///< 0 = ask the system
};

/// Readings between two calls. Rates need two: the first call gives levels only. One thread at a
/// time.
class HostLoad {
  public:
    explicit HostLoad(HostLoadOptions options = {});

    /// Reads everything once, at `now_ns` on a monotonic clock. About 0.2 ms.
    void sample(std::int64_t now_ns, const ReadingSink& out);

  private:
    void sample_cpu(double seconds, const ReadingSink& out);
    void sample_memory(const ReadingSink& out);
    void sample_process(double seconds, const ReadingSink& out);
    void sample_traffic(double seconds, const ReadingSink& out);
    void sample_limits(double seconds, const ReadingSink& out);

    HostLoadOptions options_;
    long ticks_per_second_;
    std::int64_t last_ns_ = 0;
    bool has_last_ = false;
    ProcStat last_stat_;
    ProcessTimes last_process_;
    Traffic last_disk_, last_network_;
    double last_group_seconds_ = -1;
};

}  // namespace taffrail::system
