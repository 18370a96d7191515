// Records of CUPTI's activity interface, read by the places their fields have had in every version
// since CUDA 7: no header of NVIDIA is needed, and newer and longer records read as well.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace taffrail::gpu {

/// Numbers of record kinds in the interface.
enum class RecordKind : std::uint32_t {
    Memcpy = 1,
    Memset = 2,
    Driver = 4,
    Runtime = 5,
    Marker = 12,
    Overhead = 17,
    ConcurrentKernel = 10,
};

enum class WorkKind : std::uint8_t { Kernel, Memcpy, Memset };

/// Something that ran on a device. Times are UTC nanoseconds.
struct DeviceWork {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t bytes = 0;
    std::uint32_t name = 0;  ///< kernels: index into Records::names
    std::uint32_t device = 0, context = 0, stream = 0, correlation = 0;
    std::array<std::uint32_t, 3> grid = {}, block = {};
    std::uint32_t shared_memory = 0;
    std::uint16_t registers = 0;
    WorkKind kind = WorkKind::Kernel;
    std::uint8_t copy_kind = 0, from_memory = 0, to_memory = 0;
};

/// A call of the runtime or the driver.
struct ApiCall {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t process = 0, thread = 0, correlation = 0, function = 0;
    bool is_driver = false;
};

/// A beginning, an end or a moment that the program marked (NVTX; NCCL does).
struct Marker {
    std::int64_t time_ns = 0;
    std::uint32_t id = 0, flags = 0, thread = 0, process = 0;
    std::uint32_t name = 0;  ///< 0 = none

    static constexpr std::uint32_t kInstant = 1, kBegin = 2, kEnd = 4;
};

struct Records {
    std::vector<DeviceWork> work;
    std::vector<ApiCall> calls;
    std::vector<Marker> markers;
    std::vector<std::string> names = {std::string()};  ///< 0 is none
    std::uint64_t others = 0;                          ///< of kinds that mean nothing here
    std::uint64_t dropped = 0;                         ///< the interface had no room for them
    std::uint64_t beyond_limit = 0;                    ///< came when as many were kept as asked for

    /// What the records take, without their names.
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        return work.size() * sizeof(DeviceWork) + calls.size() * sizeof(ApiCall) +
               markers.size() * sizeof(Marker);
    }

    /// Names are copied at once: the interface keeps them only while their module is loaded.
    std::uint32_t name(std::string_view text);

  private:
    std::unordered_map<std::string, std::uint32_t> known_names_;
};

/// Adds one record. `record` points at a whole record as the interface hands it out.
void decode(const unsigned char* record, Records& to);

}  // namespace taffrail::gpu
