// Zones one by one, on their way from a thread to the file: a ring that its thread fills and one
// other empties. Full: counted, never waited for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace taffrail::zones {

struct TracedZone {
    std::uint64_t since = 0, until = 0;
    std::uint64_t site = 0;
};

/// In place of a site: a step begins, `until` is its number.
inline constexpr std::uint32_t kStepMark = UINT32_MAX;

class TraceBuffer {
  public:
    static constexpr std::uint64_t kZones = 1u << 15;

    /// By the thread that owns it.
    void add(std::uint64_t since, std::uint64_t until, std::uint32_t site) noexcept {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == kZones) {
            lost_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        zones_[head % kZones] = {since, until, site};
        head_.store(head + 1, std::memory_order_release);
    }

    /// By the one that writes: everything so far, oldest first.
    template <typename Each>
    void drain(Each&& each) {
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        for (; tail != head; ++tail) {
            each(zones_[tail % kZones]);
        }
        tail_.store(tail, std::memory_order_release);
    }

    [[nodiscard]] std::uint64_t take_lost() noexcept {
        return lost_.exchange(0, std::memory_order_relaxed);
    }

    std::int64_t thread_id = 0;

  private:
    std::atomic<std::uint64_t> head_ = 0;
    alignas(64) std::atomic<std::uint64_t> tail_ = 0;
    std::atomic<std::uint64_t> lost_ = 0;
    std::array<TracedZone, kZones> zones_ = {};
};

}  // namespace taffrail::zones
