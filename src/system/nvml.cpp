#include "system/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

namespace taffrail::system {

// Names and layouts are those of NVIDIA's documented, stable C interface.
struct Nvml::Functions {
    struct Utilization {
        unsigned gpu, memory;
    };

    struct MemoryInfo {
        unsigned long long total, free, used;
    };

    // Newer drivers tell what they keep for themselves apart, so that an idle GPU shows no use.
    struct MemoryInfo2 {
        unsigned version = static_cast<unsigned>(sizeof(MemoryInfo2)) | 2u << 24;
        unsigned long long total = 0, reserved = 0, free = 0, used = 0;
    };

    using Device = void*;
    using Code = int;

    Code (*init)() = nullptr;
    Code (*shutdown)() = nullptr;
    const char* (*error_string)(Code) = nullptr;
    Code (*driver_version)(char*, unsigned) = nullptr;
    Code (*count)(unsigned*) = nullptr;
    Code (*handle)(unsigned, Device*) = nullptr;
    Code (*name)(Device, char*, unsigned) = nullptr;
    Code (*uuid)(Device, char*, unsigned) = nullptr;
    Code (*utilization)(Device, Utilization*) = nullptr;
    Code (*memory)(Device, MemoryInfo*) = nullptr;
    Code (*memory_2)(Device, MemoryInfo2*) = nullptr;
    Code (*power)(Device, unsigned*) = nullptr;
    Code (*power_limit)(Device, unsigned*) = nullptr;
    Code (*temperature)(Device, int, unsigned*) = nullptr;
    Code (*clock)(Device, int, unsigned*) = nullptr;
    Code (*throttle)(Device, unsigned long long*) = nullptr;
    Code (*energy)(Device, unsigned long long*) = nullptr;
    Code (*pcie)(Device, int, unsigned*) = nullptr;
    Code (*ecc)(Device, int, int, unsigned long long*) = nullptr;
    Code (*fan)(Device, unsigned*) = nullptr;

    bool read_memory(Device device, MemoryInfo& info) const {
        MemoryInfo2 newer;
        if (memory_2 != nullptr && memory_2(device, &newer) == 0) {
            info = {newer.total, newer.free, newer.used};
            return true;
        }
        return memory != nullptr && memory(device, &info) == 0;
    }
};

namespace {

constexpr int kSuccess = 0;

template <typename Function>
bool resolve(void* library, const char* name, Function& to) {
    to = reinterpret_cast<Function>(dlsym(library, name));
    return to != nullptr;
}

}  // namespace

Nvml::Nvml(void* library, std::unique_ptr<Functions> functions)
    : library_(library), functions_(std::move(functions)) {}

Nvml::~Nvml() {
    functions_->shutdown();
    dlclose(library_);
}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
    std::string path = library;
    if (path.empty()) {
        const char* chosen = std::getenv("TAFFRAIL_NVML_LIBRARY");
        path = chosen != nullptr && *chosen != '\0' ? chosen : "libnvidia-ml.so.1";
    }
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return Error{ErrorCode::NotFound,
                     std::string("no NVIDIA management library: ") + dlerror()};
    }
    auto functions = std::make_unique<Functions>();
    const bool complete = resolve(handle, "nvmlInit_v2", functions->init) &&
                          resolve(handle, "nvmlShutdown", functions->shutdown) &&
                          resolve(handle, "nvmlDeviceGetCount_v2", functions->count) &&
                          resolve(handle, "nvmlDeviceGetHandleByIndex_v2", functions->handle);
    if (!complete) {
        dlclose(handle);
        return Error{ErrorCode::Unsupported, path + " lacks functions every driver since 2012 has"};
    }
    // The others may be missing in old drivers; their readings are then left out.
    resolve(handle, "nvmlErrorString", functions->error_string);
    resolve(handle, "nvmlSystemGetDriverVersion", functions->driver_version);
    resolve(handle, "nvmlDeviceGetName", functions->name);
    resolve(handle, "nvmlDeviceGetUUID", functions->uuid);
    resolve(handle, "nvmlDeviceGetUtilizationRates", functions->utilization);
    resolve(handle, "nvmlDeviceGetMemoryInfo", functions->memory);
    resolve(handle, "nvmlDeviceGetMemoryInfo_v2", functions->memory_2);
    resolve(handle, "nvmlDeviceGetPowerUsage", functions->power);
    resolve(handle, "nvmlDeviceGetEnforcedPowerLimit", functions->power_limit);
    resolve(handle, "nvmlDeviceGetTemperature", functions->temperature);
    resolve(handle, "nvmlDeviceGetClockInfo", functions->clock);
    resolve(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", functions->throttle);
    resolve(handle, "nvmlDeviceGetTotalEnergyConsumption", functions->energy);
    resolve(handle, "nvmlDeviceGetPcieThroughput", functions->pcie);
    resolve(handle, "nvmlDeviceGetTotalEccErrors", functions->ecc);
    resolve(handle, "nvmlDeviceGetFanSpeed", functions->fan);
    if (const int code = functions->init(); code != kSuccess) {
        std::string why = functions->error_string != nullptr ? functions->error_string(code)
                                                             : std::to_string(code);
        dlclose(handle);
        return Error{ErrorCode::Unavailable,
                     "the NVIDIA management library does not start: " + why};
    }
    std::unique_ptr<Nvml> nvml(new Nvml(handle, std::move(functions)));
    nvml->list_gpus();
    return nvml;
}

void Nvml::list_gpus() {
    const Functions& call = *functions_;
    std::array<char, 96> text{};
    if (call.driver_version != nullptr &&
        call.driver_version(text.data(), text.size()) == kSuccess) {
        driver_version_ = text.data();
    }
    unsigned count = 0;
    if (call.count(&count) != kSuccess) {
        return;
    }
    for (unsigned index = 0; index < count; ++index) {
        Functions::Device device = nullptr;
        if (call.handle(index, &device) != kSuccess) {
            device = nullptr;  // lost or not ours: keeps its number, gives no readings
        }
        GpuInfo info;
        Functions::MemoryInfo memory{};
        if (device != nullptr) {
            if (call.name != nullptr && call.name(device, text.data(), text.size()) == kSuccess) {
                info.name = text.data();
            }
            if (call.uuid != nullptr && call.uuid(device, text.data(), text.size()) == kSuccess) {
                info.uuid = text.data();
            }
            if (call.read_memory(device, memory)) {
                info.memory_bytes = memory.total;
            }
        }
        handles_.push_back(device);
        gpus_.push_back(std::move(info));
    }
}

/// Hands `visit` each GPU that answers, with the way to name its readings.
void Nvml::for_each_gpu(const ReadingSink& out,
                        const std::function<void(void* device, const Put& put)>& visit) {
    for (std::size_t index = 0; index < handles_.size(); ++index) {
        if (handles_[index] == nullptr) {
            continue;
        }
        const std::string prefix = "system/gpu/" + std::to_string(index) + "/";
        visit(handles_[index],
              [&](std::string_view name, double value) { out(prefix + std::string(name), value); });
    }
}

void Nvml::sample(const ReadingSink& out) {
    const Functions& call = *functions_;
    for_each_gpu(out, [&call](Functions::Device device, const Put& put) {
        Functions::Utilization utilization{};
        if (call.utilization != nullptr && call.utilization(device, &utilization) == kSuccess) {
            put("percent", utilization.gpu);
            put("memory_busy_percent", utilization.memory);
        }
        Functions::MemoryInfo memory{};
        if (call.read_memory(device, memory)) {
            put("memory_used_bytes", static_cast<double>(memory.used));
            if (memory.total > 0) {
                put("memory_percent",
                    100.0 * static_cast<double>(memory.used) / static_cast<double>(memory.total));
            }
        }
        unsigned number = 0;
        if (call.power != nullptr && call.power(device, &number) == kSuccess) {
            put("power_watts", number / 1000.0);
        }
        if (call.temperature != nullptr && call.temperature(device, 0, &number) == kSuccess) {
            put("temperature_celsius", number);
        }
        constexpr int kSmClock = 1, kMemoryClock = 2;
        if (call.clock != nullptr && call.clock(device, kSmClock, &number) == kSuccess) {
            put("clock_mhz", number);
        }
        if (call.clock != nullptr && call.clock(device, kMemoryClock, &number) == kSuccess) {
            put("memory_clock_mhz", number);
        }
        unsigned long long reasons = 0;
        if (call.throttle != nullptr && call.throttle(device, &reasons) == kSuccess) {
            // Idle (1) and the user's own clock settings (2) are no throttling.
            constexpr unsigned long long kPowerCap = 0x4 | 0x80, kThermal = 0x20 | 0x40,
                                         kOther = 0x8 | 0x10;
            put("throttled_by_power", (reasons & kPowerCap) != 0 ? 1 : 0);
            put("throttled_by_heat", (reasons & kThermal) != 0 ? 1 : 0);
            put("throttled_otherwise", (reasons & kOther) != 0 ? 1 : 0);
        }
    });
}

void Nvml::sample_slow(const ReadingSink& out) {
    const Functions& call = *functions_;
    for_each_gpu(out, [&call](Functions::Device device, const Put& put) {
        unsigned number = 0;
        if (call.pcie != nullptr && call.pcie(device, 0, &number) == kSuccess) {
            put("pcie_sent_bytes_per_second", number * 1024.0);
        }
        if (call.pcie != nullptr && call.pcie(device, 1, &number) == kSuccess) {
            put("pcie_received_bytes_per_second", number * 1024.0);
        }
        if (call.power_limit != nullptr && call.power_limit(device, &number) == kSuccess) {
            put("power_limit_watts", number / 1000.0);
        }
        if (call.fan != nullptr && call.fan(device, &number) == kSuccess) {
            put("fan_percent", number);
        }
        unsigned long long large = 0;
        if (call.energy != nullptr && call.energy(device, &large) == kSuccess) {
            put("energy_joules", static_cast<double>(large) / 1000.0);
        }
        constexpr int kUncorrected = 1, kSinceReset = 0;
        if (call.ecc != nullptr &&
            call.ecc(device, kUncorrected, kSinceReset, &large) == kSuccess) {
            put("ecc_errors", static_cast<double>(large));
        }
    });
}

}  // namespace taffrail::system
