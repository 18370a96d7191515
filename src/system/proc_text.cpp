#include "system/proc_text.h"

#include "base/strings.h"

#include <algorithm>
#include <array>

namespace taffrail::system {
namespace {

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

std::string_view next_word(std::string_view& line) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
        line.remove_prefix(1);
    }
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(word.size());
    return word;
}

std::uint64_t next_number(std::string_view& line) {
    return static_cast<std::uint64_t>(parse_int(next_word(line)).value_or(0));
}

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// sda, vdb, xvda, nvme0n1, mmcblk0 – not sda1, nvme0n1p2, loop0, dm-0, ram0, zram0, md0, sr0.
bool is_whole_disk(std::string_view name) {
    for (std::string_view virtual_kind : {"loop", "ram", "zram", "dm-", "md", "sr", "fd"}) {
        if (name.starts_with(virtual_kind)) {
            return false;
        }
    }
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size()) {
        return true;
    }
    if (name.starts_with("nvme") || name.starts_with("mmcblk")) {
        return name[digits - 1] != 'p';
    }
    return false;
}

}  // namespace

ProcStat parse_stat(std::string_view text) {
    ProcStat stat;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        const std::string_view name = next_word(line);
        if (!name.starts_with("cpu")) {
            continue;
        }
        // user nice system idle iowait irq softirq steal; guest time is inside user already.
        std::array<std::uint64_t, 8> ticks{};
        CpuTimes times;
        for (std::uint64_t& value : ticks) {
            value = next_number(line);
            times.total += value;
        }
        times.busy = times.total - ticks[3] - ticks[4];
        if (name == "cpu") {
            stat.all = times;
        } else if (all_digits(name.substr(3))) {
            const auto core = static_cast<std::size_t>(*parse_int(name.substr(3)));
            if (core < 65536) {
                stat.cores.resize(std::max(stat.cores.size(), core + 1));
                stat.cores[core] = times;
            }
        }
    }
    return stat;
}

Memory parse_meminfo(std::string_view text) {
    Memory memory;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        const std::string_view name = next_word(line);
        const std::uint64_t bytes = next_number(line) * 1024;
        if (name == "MemTotal:") {
            memory.total = bytes;
        } else if (name == "MemAvailable:") {
            memory.available = bytes;
        } else if (name == "SwapTotal:") {
            memory.swap_total = bytes;
        } else if (name == "SwapFree:") {
            memory.swap_free = bytes;
        }
    }
    return memory;
}

Traffic parse_diskstats(std::string_view text) {
    constexpr std::uint64_t kSector = 512;  // always, whatever the disk's own block size
    Traffic traffic;
    while (!text.empty()) {
        std::string_view line = next_line(text);
        next_word(line), next_word(line);
        if (!is_whole_disk(next_word(line))) {
            continue;
        }
        next_word(line), next_word(line);
        traffic.in += next_number(line) * kSector;
        next_word(line), next_word(line), next_word(line);
        traffic.out += next_number(line) * kSector;
    }
    return traffic;
}

Traffic parse_net_dev(std::string_view text) {
    Traffic traffic;
    next_line(text), next_line(text);
    while (!text.empty()) {
        std::string_view line = next_line(text);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || trim(line.substr(0, colon)) == "lo") {
            continue;
        }
        line.remove_prefix(colon + 1);
        traffic.in += next_number(line);
        for (int skipped = 0; skipped < 7; ++skipped) {
            next_word(line);
        }
        traffic.out += next_number(line);
    }
    return traffic;
}

std::optional<ProcessTimes> parse_process_stat(std::string_view text) {
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos) {
        return std::nullopt;
    }
    text.remove_prefix(name_end + 1);
    ProcessTimes times;
    for (int field = 3; field <= 24; ++field) {
        const std::string_view word = next_word(text);
        const auto number = static_cast<std::uint64_t>(parse_int(word).value_or(0));
        if (field == 14 || field == 15) {
            times.ticks += number;
        } else if (field == 20) {
            times.threads = number;
        } else if (field == 24) {
            times.resident_pages = number;
        }
    }
    return times;
}

std::string parse_cpu_model(std::string_view text) {
    std::string fallback;
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        const std::string_view name = trim(line.substr(0, colon));
        if (name == "model name") {
            return std::string(trim(line.substr(colon + 1)));
        }
        if (name == "CPU part" || name == "Hardware") {
            fallback = trim(line.substr(colon + 1));
        }
    }
    return fallback;
}

}  // namespace taffrail::system
