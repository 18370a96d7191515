#include "system/host_load.h"

#include "system/file_text.h"

#include <sys/statvfs.h>
#include <unistd.h>

namespace taffrail::system {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

double busy_percent(const CpuTimes& now, const CpuTimes& before) {
    return now.total > before.total && now.busy >= before.busy
               ? percent(now.busy - before.busy, now.total - before.total)
               : 0.0;
}

void rate(std::string_view key, std::uint64_t now, std::uint64_t before, double seconds,
          const ReadingSink& out) {
    // A counter that went down was reset (a device came or went): no reading is better than a wrong
    // one.
    if (now >= before) {
        out(key, static_cast<double>(now - before) / seconds);
    }
}

}  // namespace

HostLoad::HostLoad(HostLoadOptions options)
    : options_(std::move(options)),
      ticks_per_second_(options_.ticks_per_second > 0 ? options_.ticks_per_second
                                                      : sysconf(_SC_CLK_TCK)) {}

void HostLoad::sample(std::int64_t now_ns, const ReadingSink& out) {
    const double seconds = has_last_ ? static_cast<double>(now_ns - last_ns_) / 1e9 : 0.0;
    sample_cpu(seconds, out);
    sample_memory(out);
    sample_process(seconds, out);
    sample_traffic(seconds, out);
    sample_limits(seconds, out);
    last_ns_ = now_ns;
    has_last_ = true;
}

void HostLoad::sample_cpu(double seconds, const ReadingSink& out) {
    ProcStat stat = parse_stat(text_of(options_.root + "/proc/stat"));
    if (seconds > 0) {
        out("system/cpu/percent", busy_percent(stat.all, last_stat_.all));
        for (std::size_t core = 0; core < stat.cores.size() && core < last_stat_.cores.size();
             ++core) {
            out("system/cpu/core/" + std::to_string(core) + "/percent",
                busy_percent(stat.cores[core], last_stat_.cores[core]));
        }
    }
    last_stat_ = std::move(stat);
}

void HostLoad::sample_memory(const ReadingSink& out) {
    const Memory memory = parse_meminfo(text_of(options_.root + "/proc/meminfo"));
    if (memory.total > 0) {
        const std::uint64_t used = memory.total - memory.available;
        out("system/memory/used_bytes", static_cast<double>(used));
        out("system/memory/available_bytes", static_cast<double>(memory.available));
        out("system/memory/percent", percent(used, memory.total));
    }
    if (memory.swap_total > 0) {
        out("system/swap/used_bytes", static_cast<double>(memory.swap_total - memory.swap_free));
    }
}

void HostLoad::sample_process(double seconds, const ReadingSink& out) {
    const auto process = parse_process_stat(text_of(options_.root + "/proc/self/stat"));
    if (!process) {
        return;
    }
    out("system/process/memory_bytes",
        static_cast<double>(process->resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
    out("system/process/threads", static_cast<double>(process->threads));
    if (seconds > 0 && process->ticks >= last_process_.ticks) {
        const double used = static_cast<double>(process->ticks - last_process_.ticks) /
                            static_cast<double>(ticks_per_second_);
        out("system/process/cpu_percent", 100.0 * used / seconds);  // 100 = one core
    }
    last_process_ = *process;
}

void HostLoad::sample_traffic(double seconds, const ReadingSink& out) {
    const Traffic disk = parse_diskstats(text_of(options_.root + "/proc/diskstats"));
    const Traffic network = parse_net_dev(text_of(options_.root + "/proc/net/dev"));
    if (seconds > 0) {
        rate("system/disk/read_bytes_per_second", disk.in, last_disk_.in, seconds, out);
        rate("system/disk/written_bytes_per_second", disk.out, last_disk_.out, seconds, out);
        rate("system/network/received_bytes_per_second", network.in, last_network_.in, seconds,
             out);
        rate("system/network/sent_bytes_per_second", network.out, last_network_.out, seconds, out);
    }
    last_disk_ = disk;
    last_network_ = network;
    struct statvfs space{};
    if (statvfs(options_.folder.c_str(), &space) == 0 && space.f_blocks > 0) {
        const auto block = static_cast<double>(space.f_frsize);
        out("system/disk/free_bytes", static_cast<double>(space.f_bavail) * block);
        const std::uint64_t used = space.f_blocks - space.f_bfree;
        out("system/disk/percent", percent(used, used + space.f_bavail));
    }
}

void HostLoad::sample_limits(double seconds, const ReadingSink& out) {
    const CgroupLimits limits = read_cgroup_limits(options_.root);
    if (limits.memory_limit_bytes) {
        out("system/limits/memory_bytes", static_cast<double>(*limits.memory_limit_bytes));
        if (limits.memory_used_bytes) {
            out("system/limits/memory_percent",
                percent(*limits.memory_used_bytes, *limits.memory_limit_bytes));
        }
    }
    if (limits.cpu_limit_cores) {
        out("system/limits/cpu_cores", *limits.cpu_limit_cores);
        if (limits.cpu_used_seconds && last_group_seconds_ >= 0 && seconds > 0) {
            out("system/limits/cpu_percent", 100.0 *
                                                 (*limits.cpu_used_seconds - last_group_seconds_) /
                                                 seconds / *limits.cpu_limit_cores);
        }
    }
    last_group_seconds_ = limits.cpu_used_seconds.value_or(-1);
}

}  // namespace taffrail::system
