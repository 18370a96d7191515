// The text files of /proc, parsed: pure functions over their content, so that tests feed them
// fixtures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::system {

/// Clock ticks since boot of one core, or of all together.
struct CpuTimes {
    std::uint64_t busy = 0, total = 0;
};

struct ProcStat {
    CpuTimes all;
    std::vector<CpuTimes> cores;  ///< by core number; offline cores are zero
};

struct Memory {
    std::uint64_t total = 0, available = 0, swap_total = 0, swap_free = 0;  ///< bytes
};

/// Sums since boot, in bytes.
struct Traffic {
    std::uint64_t in = 0, out = 0;  ///< read and written, or received and sent
};

struct ProcessTimes {
    std::uint64_t ticks = 0;  ///< user and kernel, all threads
    std::uint64_t threads = 0;
    std::uint64_t resident_pages = 0;
};

ProcStat parse_stat(std::string_view text);
Memory parse_meminfo(std::string_view text);
/// Whole disks only: partitions, loop devices and device-mapper layers would count the same bytes
/// twice.
Traffic parse_diskstats(std::string_view text);
/// All interfaces but the loopback.
Traffic parse_net_dev(std::string_view text);
/// /proc/<pid>/stat. The name of the program may hold spaces and brackets.
std::optional<ProcessTimes> parse_process_stat(std::string_view text);
/// "model name" (or the nearest thing on other machines) of /proc/cpuinfo.
std::string parse_cpu_model(std::string_view text);

}  // namespace taffrail::system
