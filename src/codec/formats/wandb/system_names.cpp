#include "codec/formats/wandb/system_names.h"

#include "codec/system_names.h"

#include <array>

namespace taffrail::formats::wandb {
namespace {

constexpr std::string_view kSystem = "system/";
constexpr std::string_view kOwn = "taffrail.";
constexpr double kMebibyte = 1048576.0;

// Rates and totals are not the same thing: disk and network keep their own names.
constexpr std::array kMachineNames = {
    SystemName{"cpu/percent", "cpu"},
    SystemName{"memory/percent", "memory_percent"},
    SystemName{"memory/available_bytes", "proc.memory.availableMB", 1 / kMebibyte},
    SystemName{"process/memory_bytes", "proc.memory.rssMB", 1 / kMebibyte},
    SystemName{"process/threads", "proc.cpu.threads"},
};

// Behind `system/gpu/<i>/` and `gpu.<i>.`.
constexpr std::array kGpuNames = {
    SystemName{"percent", "gpu"},
    SystemName{"memory_busy_percent", "memory"},
    SystemName{"memory_percent", "memoryAllocated"},
    SystemName{"memory_used_bytes", "memoryAllocatedBytes"},
    SystemName{"temperature_celsius", "temp"},
    SystemName{"power_watts", "powerWatts"},
    SystemName{"clock_mhz", "smClock"},
    SystemName{"memory_clock_mhz", "memoryClock"},
};

constexpr SystemNames kSystemNames(kMachineNames, kGpuNames, '.');

}  // namespace

SystemMetric to_wandb(std::string_view key) {
    std::string_view rest = key;
    if (rest.starts_with(kSystem)) {
        rest.remove_prefix(kSystem.size());
    }
    const auto known = kSystemNames.theirs(rest);
    return known ? SystemMetric{known->name, known->factor}
                 : SystemMetric{std::string(kOwn) + std::string(rest), 1};
}

SystemMetric from_wandb(std::string_view name) {
    const std::string system(kSystem);
    if (name.starts_with(kOwn)) {
        return {system + std::string(name.substr(kOwn.size())), 1};
    }
    const auto known = kSystemNames.ours(name);
    return known ? SystemMetric{system + known->name, known->factor}
                 : SystemMetric{system + std::string(name), 1};
}

}  // namespace taffrail::formats::wandb
