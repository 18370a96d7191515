// Switching zones on and off, and marking steps.
#include "base/clock.h"
#include "zones/this_thread.h"

namespace taffrail {

namespace detail {
constinit std::atomic<bool> zones_on{true};
}

void enable_zones(bool on) noexcept {
    detail::zones_on.store(on, std::memory_order_relaxed);
}

void reset_zones() noexcept {
    zones::AllThreads& all = zones::all_threads();
    const std::lock_guard lock(all.mutex);
    zones::clear_counts(all);
    zones::begin_counting(ticks());
}

void mark_step(Step step) noexcept {
    if (!detail::zones_are_on()) {
        return;
    }
    zones::StepMarks& marks = zones::step_marks();
    const std::uint64_t now = ticks();
    const std::uint64_t before = marks.at.exchange(now, std::memory_order_relaxed);
    marks.step.store(step, std::memory_order_relaxed);
    if (marks.count.fetch_add(1, std::memory_order_relaxed) > 0 && now > before) {
        marks.total.fetch_add(now - before, std::memory_order_relaxed);
        marks.buckets[zones::bucket_of(now - before)].fetch_add(1, std::memory_order_relaxed);
    }
    if (zones::ThreadZones* mine = zones::zones_of_this_thread(); mine != nullptr) {
        if (auto* trace = mine->trace.load(std::memory_order_acquire); trace != nullptr) {
            trace->add(now, static_cast<std::uint64_t>(step), zones::kStepMark);
        }
    }
    zones::AllThreads& all = zones::all_threads();
    // Nobody waits here: a step more or less in what is left after a kill does not matter.
    if (const std::unique_lock lock(all.mutex, std::try_to_lock); lock && all.block != nullptr) {
        all.block->header().step.store(step, std::memory_order_relaxed);
        all.block->header().steps.fetch_add(1, std::memory_order_relaxed);
    }
}

}  // namespace taffrail
