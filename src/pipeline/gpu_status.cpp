// GPU memory and utilisation for the status block.
#include "base/strings.h"
#include "pipeline/status.h"
#include "system/nvml.h"

#include <mutex>

namespace taffrail::pipeline {

std::vector<GpuStatus> read_gpu_status() {
    static std::mutex mutex;
    // Leaked with the process: a driver library does not like being unloaded at exit.
    static system::Nvml* const library = [] {
        auto opened = system::Nvml::open();
        return opened.ok() ? (*std::move(opened)).release() : nullptr;
    }();
    std::vector<GpuStatus> gpus;
    if (library == nullptr) {
        return gpus;
    }
    const std::lock_guard lock(mutex);
    for (const system::GpuInfo& info : library->gpus()) {
        GpuStatus gpu;
        gpu.name = "GPU " + std::to_string(gpus.size()) + " (" + info.name + ")";
        gpu.memory_total_bytes = static_cast<double>(info.memory_bytes);
        gpus.push_back(std::move(gpu));
    }
    library->sample([&](std::string_view key, double value) {
        // system/gpu/<number>/<reading>
        const auto parts = split(key, '/');
        if (parts.size() != 4) {
            return;
        }
        const auto index = parse_int(parts[2]);
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= gpus.size()) {
            return;
        }
        GpuStatus& gpu = gpus[static_cast<std::size_t>(*index)];
        if (parts[3] == "memory_used_bytes") {
            gpu.memory_used_bytes = value;
        } else if (parts[3] == "percent") {
            gpu.utilisation_percent = value;
        }
    });
    return gpus;
}

}  // namespace taffrail::pipeline
