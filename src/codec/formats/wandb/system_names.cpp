#include "codec/formats/wandb/system_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace taffrail::formats::wandb {
namespace {

constexpr std::string_view kSystem = "system/";
constexpr std::string_view kOwn = "taffrail.";
constexpr double kMebibyte = 1048576.0;

struct Pair {
    std::string_view ours, theirs;
    double factor = 1;  ///< ours * factor = theirs
};

// Rates and totals are not the same thing: disk and network keep their own names.
constexpr std::array kPairs = {
    Pair{"cpu/percent", "cpu"},
    Pair{"memory/percent", "memory_percent"},
    Pair{"memory/available_bytes", "proc.memory.availableMB", 1 / kMebibyte},
    Pair{"process/memory_bytes", "proc.memory.rssMB", 1 / kMebibyte},
    Pair{"process/threads", "proc.cpu.threads"},
};

// Behind `system/gpu/<i>/` and `gpu.<i>.`.
constexpr std::array kGpuPairs = {
    Pair{"percent", "gpu"},
    Pair{"memory_busy_percent", "memory"},
    Pair{"memory_percent", "memoryAllocated"},
    Pair{"memory_used_bytes", "memoryAllocatedBytes"},
    Pair{"temperature_celsius", "temp"},
    Pair{"power_watts", "powerWatts"},
    Pair{"clock_mhz", "smClock"},
    Pair{"memory_clock_mhz", "memoryClock"},
};

/// "gpu/0/percent" → "0" and "percent"; nothing where it is no GPU's.
std::pair<std::string_view, std::string_view> split_gpu(std::string_view name, char joint) {
    constexpr std::string_view kGpu = "gpu";
    if (!name.starts_with(kGpu) || name.size() < 6 || name[3] != joint) {
        return {};
    }
    name.remove_prefix(4);
    const auto end = name.find(joint);
    if (end == std::string_view::npos || end == 0 ||
        !std::ranges::all_of(name.substr(0, end), [](char c) { return c >= '0' && c <= '9'; })) {
        return {};
    }
    return {name.substr(0, end), name.substr(end + 1)};
}

}  // namespace

SystemMetric to_wandb(std::string_view key) {
    std::string_view rest = key;
    if (rest.starts_with(kSystem)) {
        rest.remove_prefix(kSystem.size());
    }
    for (const Pair& pair : kPairs) {
        if (pair.ours == rest) {
            return {std::string(pair.theirs), pair.factor};
        }
    }
    if (const auto [number, name] = split_gpu(rest, '/'); !number.empty()) {
        for (const Pair& pair : kGpuPairs) {
            if (pair.ours == name) {
                return {"gpu." + std::string(number) + "." + std::string(pair.theirs), pair.factor};
            }
        }
    }
    return {std::string(kOwn) + std::string(rest), 1};
}

SystemMetric from_wandb(std::string_view name) {
    if (name.starts_with(kOwn)) {
        return {std::string(kSystem) + std::string(name.substr(kOwn.size())), 1};
    }
    for (const Pair& pair : kPairs) {
        if (pair.theirs == name) {
            return {std::string(kSystem) + std::string(pair.ours), 1 / pair.factor};
        }
    }
    if (const auto [number, rest] = split_gpu(name, '.'); !number.empty()) {
        for (const Pair& pair : kGpuPairs) {
            if (pair.theirs == rest) {
                return {std::string(kSystem) + "gpu/" + std::string(number) + "/" +
                            std::string(pair.ours),
                        1 / pair.factor};
            }
        }
    }
    return {std::string(kSystem) + std::string(name), 1};
}

}  // namespace taffrail::formats::wandb
