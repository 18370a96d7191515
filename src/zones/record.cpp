// The path that every zone takes: two reads of the counter, and stores into the tree of its thread.
#include "base/clock.h"
#include "zones/record_path.h"
#include "zones/this_thread.h"

#include <algorithm>

namespace taffrail::zones {

namespace {

// What ticks() reads where this_thread is set at all.
inline std::uint64_t counter() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return ticks();
#endif
}

// Only the owner writes, so a load and a store are enough.
template <typename Number>
void add(std::atomic<Number>& to, Number more) noexcept {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

inline void count_bucket(Node& node, std::uint64_t duration) noexcept {
    add(node.buckets[bucket_of(duration)], std::uint64_t{1});
}

inline void count_sums(Node& node, std::uint64_t duration) noexcept {
    add(node.total, duration);
    if (duration < node.least.load(std::memory_order_relaxed)) {
        node.least.store(duration, std::memory_order_relaxed);
    }
    if (duration > node.most.load(std::memory_order_relaxed)) {
        node.most.store(duration, std::memory_order_relaxed);
    }
}

inline void begin(ThreadZones& mine, Node& node, std::uint64_t now) noexcept {
    OpenThread* open = mine.open.load(std::memory_order_acquire);
    OpenThread::Entry& entry = open->entries[node.slot];
    entry.site.store(node.site_id, std::memory_order_relaxed);
    entry.since.store(now, std::memory_order_relaxed);
    open->depth.store(node.depth, std::memory_order_relaxed);
}

// The bucket of the zone that was left last. Where in the sketch it goes follows from the counter
// through a chain of instructions that the next read of the counter would wait for; one zone later
// it overlaps with that read. A third of the cost of a zone is in this.
inline void settle(ThreadZones& mine) noexcept {
    if (Node* waiting = mine.waiting.load(std::memory_order_relaxed); waiting != nullptr) {
        count_bucket(*waiting, mine.waiting_duration.load(std::memory_order_relaxed));
    }
}

/// What was waiting is settled.
inline void finish_settled(ThreadZones& mine, Node& node, std::uint64_t since,
                           std::uint64_t now) noexcept {
    mine.current.store(node.parent, std::memory_order_relaxed);
    mine.open.load(std::memory_order_acquire)
        ->depth.store(node.depth - 1, std::memory_order_relaxed);
    // Counters of two cores may differ by a little.
    const std::uint64_t duration = now > since ? now - since : 0;
    count_sums(node, duration);
    mine.waiting_duration.store(duration, std::memory_order_relaxed);
    mine.waiting.store(&node, std::memory_order_relaxed);
    if (TraceBuffer* trace = mine.trace.load(std::memory_order_acquire); trace != nullptr)
        [[unlikely]] {
        trace->add(since, now, node.site_id);
    }
}

void finish(ThreadZones& mine, Node& node, std::uint64_t since, std::uint64_t now) noexcept {
    settle(mine);
    finish_settled(mine, node, since, now);
}

// Of a zone whose beginning nobody holds: a lap, one whose end went missing.
std::uint64_t since_of(const ThreadZones& mine, const Node& node) noexcept {
    return mine.open.load(std::memory_order_acquire)
        ->entries[node.slot]
        .since.load(std::memory_order_relaxed);
}

// Laps, and zones whose end went missing, stand above the one that ends now. False when that one is
// not open on this thread: it was left on another, or left already.
bool close_above(ThreadZones& mine, const Node& node, std::uint64_t now) noexcept {
    const Node* open = mine.current.load(std::memory_order_relaxed);
    while (open != nullptr && open != &node) {
        open = open->parent;
    }
    if (open == nullptr) {
        return false;
    }
    for (Node* above = mine.current.load(std::memory_order_relaxed); above != &node;
         above = mine.current.load(std::memory_order_relaxed)) {
        finish(mine, *above, since_of(mine, *above), now);
    }
    return true;
}

}  // namespace

void count_call(Node& node, std::uint64_t duration) noexcept {
    count_bucket(node, duration);
}

std::uint64_t innermost_since() noexcept {
    const ThreadZones* mine = zones_of_this_thread();
    const Node* open = mine != nullptr ? mine->current.load(std::memory_order_relaxed) : nullptr;
    return open != nullptr && open->parent != nullptr ? since_of(*mine, *open) : 0;
}

void close_all(ThreadZones& zones) noexcept {
    const std::uint64_t now = ticks();
    close_above(zones, zones.node(0), now);
}

}  // namespace taffrail::zones

namespace taffrail::detail {

using zones::this_thread;
using zones::ThreadZones;

// Everything that calls something stands in functions of its own: the usual way needs no frame.
namespace {

[[gnu::noinline, gnu::cold]] OpenZone enter_slowly(ZoneSite& site) noexcept {
    ThreadZones* mine = zones::zones_of_this_thread();
    if (mine == nullptr) {
        return {};
    }
    ZoneNode& parent = *mine->current.load(std::memory_order_relaxed);
    ZoneNode* node = mine->child_of(parent, site, false);
    if (node == nullptr) {
        return {};
    }
    parent.hint = node;
    mine->current.store(node, std::memory_order_release);
    const std::uint64_t now = ticks();
    zones::begin(*mine, *node, now);
    return {node, now};
}

[[gnu::noinline, gnu::cold]] void leave_slowly(ZoneNode& node, std::uint64_t since,
                                               std::uint64_t now) noexcept {
    ThreadZones* mine = zones::zones_of_this_thread();
    if (mine != nullptr && zones::close_above(*mine, node, now)) {
        zones::finish(*mine, node, since, now);
    }
}

[[gnu::noinline, gnu::cold]] void leave_by_clock(ZoneNode& node, std::uint64_t since) noexcept {
    leave_slowly(node, since, ticks());
}

}  // namespace

OpenZone enter_zone(ZoneSite& site) noexcept {
    ThreadZones* mine = this_thread;
    if (mine == nullptr) [[unlikely]] {
        return enter_slowly(site);
    }
    ZoneNode* parent = mine->current.load(std::memory_order_relaxed);
    ZoneNode* node = parent->hint;
    if (node->site != &site) {
        node = node->next;  // children that take turns: each is next to the one before
        if (node->site != &site) [[unlikely]] {
            return enter_slowly(site);
        }
        parent->hint = node;
    }
    mine->current.store(node, std::memory_order_release);
    const std::uint64_t now = zones::counter();
    zones::begin(*mine, *node, now);
    return {node, now};
}

void leave_zone(ZoneNode* node, std::uint64_t since) noexcept {
    ThreadZones* mine = this_thread;
    if (mine == nullptr) [[unlikely]] {
        return leave_by_clock(*node, since);
    }
    zones::settle(*mine);
    const std::uint64_t now = zones::counter();
    if (mine->current.load(std::memory_order_relaxed) != node) [[unlikely]] {
        mine->waiting.store(nullptr, std::memory_order_relaxed);
        return leave_slowly(*node, since, now);
    }
    zones::finish_settled(*mine, *node, since, now);
}

void change_lap(ZoneSite* site) noexcept {
    const std::uint64_t now = ticks();
    ThreadZones* mine = zones::zones_of_this_thread();
    if (mine == nullptr) {
        return;
    }
    if (ZoneNode* before = mine->current.load(std::memory_order_relaxed); before->lap) {
        zones::finish(*mine, *before, zones::since_of(*mine, *before), now);
    }
    if (site == nullptr) {
        return;
    }
    ZoneNode& parent = *mine->current.load(std::memory_order_relaxed);
    ZoneNode* node = parent.hint->next;
    if (node->site != site) {
        node = mine->child_of(parent, *site, false);
    }
    if (node != nullptr) {
        parent.hint = node;
        node->lap = true;
        mine->current.store(node, std::memory_order_release);
        zones::begin(*mine, *node, now);
    }
}

void add_zone_value(double value) noexcept {
    if (ThreadZones* mine = zones::zones_of_this_thread(); mine != nullptr) {
        ZoneNode* node = mine->current.load(std::memory_order_relaxed);
        zones::add(node->values, std::uint64_t{1});
        zones::add(node->value_sum, value);
    }
}

std::uint64_t zone_ticks() noexcept {
    return ticks();
}

void end_span(ZoneSite& site, std::uint64_t since) noexcept {
    const std::uint64_t now = ticks();
    ThreadZones* mine = zones::zones_of_this_thread();
    if (mine == nullptr) {
        return;
    }
    ZoneNode& root = mine->node(1);
    ZoneNode* node = root.hint->site == &site ? root.hint : mine->child_of(root, site, true);
    if (node != nullptr) {
        root.hint = node;
        const std::uint64_t duration = now > since ? now - since : 0;
        zones::count_sums(*node, duration);
        zones::count_bucket(*node, duration);
    }
}

}  // namespace taffrail::detail
