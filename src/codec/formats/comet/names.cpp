#include "codec/formats/comet/names.h"

#include <algorithm>
#include <array>

namespace taffrail::formats::comet {
namespace {

struct Pair {
    std::string_view ours, theirs;
};

constexpr std::string_view kSystem = "system/", kSys = "sys.", kOwn = "sys.taffrail.";

constexpr std::array kPairs = {
    Pair{"cpu/percent", "cpu.percent.avg"},
    Pair{"memory/percent", "ram.percent.used"},
    Pair{"memory/available_bytes", "ram.available"},
};

constexpr std::array kGpuPairs = {
    Pair{"percent", "gpu_utilization"},
    Pair{"memory_used_bytes", "used_memory"},
    Pair{"power_watts", "power_usage"},
    Pair{"temperature_celsius", "temperature"},
};

}  // namespace

SystemName to_comet(std::string_view key) {
    if (key.starts_with(kSystem)) {
        key.remove_prefix(kSystem.size());
    }
    for (const Pair& pair : kPairs) {
        if (pair.ours == key) {
            return {std::string(kSys) + std::string(pair.theirs), 1};
        }
    }
    if (key.starts_with("gpu/")) {
        const auto slash = key.find('/', 4);
        for (const Pair& pair : kGpuPairs) {
            if (slash != std::string_view::npos && pair.ours == key.substr(slash + 1)) {
                // The official program gives milliwatts.
                return {"sys.gpu." + std::string(key.substr(4, slash - 4)) + "." +
                            std::string(pair.theirs),
                        pair.theirs == "power_usage" ? 1000.0 : 1.0};
            }
        }
    }
    return {std::string(kOwn) + std::string(key), 1};
}

SystemName from_comet(std::string_view name) {
    if (name.starts_with(kOwn)) {
        return {std::string(kSystem) + std::string(name.substr(kOwn.size())), 1};
    }
    if (!name.starts_with(kSys)) {
        return {};
    }
    name.remove_prefix(kSys.size());
    for (const Pair& pair : kPairs) {
        if (pair.theirs == name) {
            return {std::string(kSystem) + std::string(pair.ours), 1};
        }
    }
    if (name.starts_with("gpu.")) {
        const auto dot = name.find('.', 4);
        for (const Pair& pair : kGpuPairs) {
            if (dot != std::string_view::npos && pair.theirs == name.substr(dot + 1)) {
                return {"system/gpu/" + std::string(name.substr(4, dot - 4)) + "/" +
                            std::string(pair.ours),
                        pair.theirs == "power_usage" ? 0.001 : 1.0};
            }
        }
    }
    std::string rest(name);
    std::ranges::replace(rest, '.', '/');
    return {std::string(kSystem) + rest, 1};
}

}  // namespace taffrail::formats::comet
