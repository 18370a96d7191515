// NVIDIA GPUs through libnvidia-ml, loaded at run time. No vendor header: the few declarations
// needed are our own.
#pragma once

#include <taffrail/result.h>

#include "system/host_load.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::system {

struct GpuInfo {
    std::string name, uuid;
    std::uint64_t memory_bytes = 0;
};

/// The loaded library. Absent driver, absent library, no device: open() says which. One thread at a
/// time.
class Nvml {
  public:
    /// `library` "" = $TAFFRAIL_NVML_LIBRARY, else libnvidia-ml.so.1.
    static Result<std::unique_ptr<Nvml>> open(const std::string& library = "");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    [[nodiscard]] const std::string& driver_version() const noexcept { return driver_version_; }

    [[nodiscard]] const std::vector<GpuInfo>& gpus() const noexcept { return gpus_; }

    /// "system/gpu/0/percent", "…/memory_used_bytes", "…/power_watts", "…/temperature_celsius",
    /// clocks and throttling. What a GPU does not report is left out. About 0.1 ms a GPU.
    void sample(const ReadingSink& out);
    /// Counters whose reading takes tens of milliseconds (PCIe) or that hardly change (ECC errors,
    /// energy).
    void sample_slow(const ReadingSink& out);

  private:
    struct Functions;
    Nvml(void* library, std::unique_ptr<Functions> functions);
    using Put = std::function<void(std::string_view name, double value)>;
    void list_gpus();
    void for_each_gpu(const ReadingSink& out,
                      const std::function<void(void* device, const Put& put)>& visit);

    void* library_;
    std::unique_ptr<Functions> functions_;
    std::string driver_version_;
    std::vector<void*> handles_;
    std::vector<GpuInfo> gpus_;
};

}  // namespace taffrail::system
