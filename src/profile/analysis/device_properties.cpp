#include "profile/analysis/device_properties.h"

#include "codec/json.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

std::uint32_t small(const Json& object, std::string_view name) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(object.integer_or(name, 0), 0, UINT32_MAX));
}

std::uint64_t large(const Json& object, std::string_view name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(object.integer_or(name, 0), 0));
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

/// Blocks a multiprocessor takes at most, by compute capability.
std::uint32_t most_blocks(std::int32_t major, std::int32_t minor) {
    switch (major * 10 + minor) {
        case 75:
        case 86:
        case 87:
            return 16;
        case 89:
        case 120:
        case 121:
            return 24;
        default:
            return major >= 5 ? 32 : 16;
    }
}

}  // namespace

std::vector<DeviceProperties> device_properties(const Profile& profile) {
    std::vector<DeviceProperties> found;
    for (const auto& [name, text] : profile.metadata) {
        if (name != "deviceProperties") {
            continue;
        }
        const auto json = parse_json(text);
        const Json::Array* devices = json.ok() ? json->array() : nullptr;
        if (devices == nullptr) {
            continue;
        }
        for (const Json& device : *devices) {
            const auto number = [&](std::string_view member) {
                return static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(device.integer_or(member, -1), -1, 1000));
            };
            found.push_back({.id = device.integer_or("id", static_cast<std::int64_t>(found.size())),
                             .name = device.string_or("name", ""),
                             .memory_bytes = large(device, "totalGlobalMem"),
                             .compute_major = number("computeMajor"),
                             .compute_minor = number("computeMinor"),
                             .multiprocessors = small(device, "numSms"),
                             .max_threads = small(device, "maxThreadsPerMultiprocessor"),
                             .warp_size = std::max(small(device, "warpSize"), 1U),
                             .registers = small(device, "regsPerMultiprocessor"),
                             .shared_memory = large(device, "sharedMemPerMultiprocessor")});
        }
    }
    return found;
}

const DeviceProperties* find_device(const std::vector<DeviceProperties>& all, std::int64_t id) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const DeviceProperties& one) { return one.id == id; });
    return found == all.end() ? nullptr : &*found;
}

std::uint32_t resident_blocks(const DeviceProperties& device, const DeviceDetails& kernel) {
    const std::uint64_t threads = std::uint64_t{kernel.block[0]} * std::max(kernel.block[1], 1U) *
                                  std::max(kernel.block[2], 1U);
    if (threads == 0 || threads > 4096 || device.max_threads == 0) {
        return 0;
    }
    const std::uint64_t warps = rounded_up(threads, device.warp_size) / device.warp_size;
    std::uint64_t blocks = most_blocks(device.compute_major, device.compute_minor);
    blocks = std::min<std::uint64_t>(blocks, device.max_threads / device.warp_size / warps);
    if (kernel.registers > 0 && device.registers > 0) {
        // A warp gets its registers in portions of 256, from one of the four parts of the
        // multiprocessor.
        const std::uint64_t of_warp =
            rounded_up(std::uint64_t{kernel.registers} * device.warp_size, 256);
        const std::uint64_t of_part = device.registers / 4 / of_warp;
        blocks = std::min(blocks, of_part * 4 / warps);
    }
    if (kernel.shared_memory > 0 && device.shared_memory > 0) {
        // From Ampere on each block costs one KiB for the system, and kernels may ask for nearly
        // all of the memory of a multiprocessor: what one block may have by default is no limit.
        const bool is_ampere = device.compute_major >= 8;
        const std::uint64_t of_block =
            rounded_up(kernel.shared_memory + (is_ampere ? 1024 : 0), is_ampere ? 128 : 256);
        blocks = std::min(blocks, device.shared_memory / of_block);
    }
    return static_cast<std::uint32_t>(blocks);
}

double occupancy_of(const DeviceProperties& device, const DeviceDetails& kernel) {
    const std::uint32_t resident = resident_blocks(device, kernel);
    if (resident == 0 || kernel.blocks_per_sm < 0) {
        return -1;
    }
    const double threads = static_cast<double>(kernel.block[0]) * std::max(kernel.block[1], 1U) *
                           std::max(kernel.block[2], 1U);
    return std::min(
        1.0, std::min<double>(resident, kernel.blocks_per_sm) * threads / device.max_threads);
}

}  // namespace taffrail::profile::analysis
