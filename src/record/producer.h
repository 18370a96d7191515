// One end of a chain of rings: the thread that owns it pushes, the collector drains. The first
// cache line is all that a log call touches besides the ring itself.
#pragma once

#include "record/drain.h"
#include "record/ring.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

namespace taffrail::record {

struct ThreadSlot;

struct alignas(64) Producer {
    // Hot, owning thread only (values is read by others).
    std::uint64_t* cursor = nullptr;  ///< where the next entry goes
    std::uint64_t* limit = nullptr;   ///< words before it are known to be free
    std::uint64_t head = 0;           ///< position of `cursor`
    RingState* state = nullptr;
    std::uint32_t version = 0;  ///< of the context this ring was told last
    std::atomic<std::uint64_t> values{0};

    // Cold, owning thread.
    alignas(64) Ring* ring = nullptr;
    std::uint32_t number = 0;
    ThreadSlot* owner = nullptr;  ///< under the session's lock; null: given back
    bool counting_gaps = false;   ///< waited in vain; do not wait again before there is room

    /// A bigger ring the collector made; the producer moves on to it when it next looks for room.
    std::atomic<Ring*> next{nullptr};

    // Collector only.
    alignas(
        64) std::deque<std::unique_ptr<Ring>> rings;  ///< oldest first; the last one may be `next`
    RingCursor drain;                                 ///< stands in rings.front()
    std::uint64_t reported_lost = 0;
    std::uint32_t generation = 0;
    std::uint64_t target = 0;  ///< where this pass ends in rings.front()
    bool moved = false;        ///< in the batch being built

    /// The owner writes the words behind `cursor`, then calls this.
    void publish(std::uint64_t words) noexcept {
        cursor += words;
        head += words;
        state->head.store(head, std::memory_order_release);
    }

    void count(std::uint64_t taken) noexcept {
        values.store(values.load(std::memory_order_relaxed) + taken, std::memory_order_relaxed);
    }
};

}  // namespace taffrail::record
