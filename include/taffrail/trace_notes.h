// What a program tells a trace beside its zones: memory that it takes and gives back, and the
// shapes of what it computes with. `profiler=trace` keeps both where it is asked to
// (profiler.profile_memory, profiler.record_shapes); without a window that keeps them, they cost a
// load each.
//
//   void* Pool::take(std::size_t bytes) {
//       void* at = …;
//       taffrail::report_memory(at, bytes);           // and report_memory(at, -bytes) when it is
//       freed
//   }
//   void Linear::forward(const Matrix& x) {
//       TAFFRAIL_ZONE_FUNCTION();
//       TAFFRAIL_ZONE_SHAPE(x.rows(), x.cols());      // of the innermost zone; one for each input
//   }
//
// <taffrail/trace_allocations.h> reports every `new` and `delete` of a program.
#pragma once

#include <taffrail/api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace taffrail {

/// `bytes` were taken at `address`, or given back when negative: of the processor, or of the device
/// with this number. Safe from any thread and inside an allocator: no lock, no allocation. The sums
/// are of everything reported since the program began.
TAFFRAIL_API void report_memory(const void* address, std::int64_t bytes, int device = -1) noexcept;

namespace detail {

TAFFRAIL_API extern std::atomic<bool> shapes_are_kept;
TAFFRAIL_API void note_shape(const std::int64_t* sides, std::size_t count) noexcept;

template <typename... Sides>
void zone_shape(Sides... sides) noexcept {
    if (shapes_are_kept.load(std::memory_order_relaxed)) {
        const std::array<std::int64_t, sizeof...(Sides)> all = {
            static_cast<std::int64_t>(sides)...};
        note_shape(all.data(), all.size());
    }
}

}  // namespace detail
}  // namespace taffrail

#if defined(TAFFRAIL_NO_ZONES)
#define TAFFRAIL_ZONE_SHAPE(...) static_cast<void>(0)
#else
/// The sides of an input of the innermost zone of this thread, at most five.
#define TAFFRAIL_ZONE_SHAPE(...) ::taffrail::detail::zone_shape(__VA_ARGS__)
#endif
