#include "zones/snapshot.h"

#include "base/clock.h"
#include "zones/named_sites.h"
#include "zones/thread_zones.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace taffrail::zones {

namespace {

Sums read(const Node& node) {
    Sums sums;
    sums.done = node.total.load(std::memory_order_relaxed);
    sums.least = node.least.load(std::memory_order_relaxed);
    sums.most = node.most.load(std::memory_order_relaxed);
    sums.values = node.values.load(std::memory_order_relaxed);
    sums.value_sum = node.value_sum.load(std::memory_order_relaxed);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        sums.buckets[bucket] = node.buckets[bucket].load(std::memory_order_relaxed);
        sums.calls += sums.buckets[bucket];
    }
    return sums;
}

void add_thread(const ThreadZones& zones, std::uint64_t now, Snapshot& to) {
    std::unordered_set<const Node*> open;
    for (const Node* node = zones.current.load(std::memory_order_acquire); node->parent != nullptr;
         node = node->parent) {
        open.insert(node);
    }
    // Parents stand before their children.
    std::unordered_map<const Node*, Branch*> branches = {{&zones.node(0), &to.root},
                                                         {&zones.node(1), &to.spans}};
    const std::uint32_t count = zones.count();
    for (std::uint32_t index = 2; index < count; ++index) {
        const Node& node = zones.node(index);
        Branch& branch = branches.at(node.parent)->child(std::string(shown_name(*node.site)));
        branches[&node] = &branch;
        if (branch.line == 0) {
            branch.file = node.site->file;
            branch.line = node.site->line;
        }
        Sums sums = read(node);
        if (zones.waiting.load(std::memory_order_relaxed) == &node) {
            ++sums.buckets[bucket_of(zones.waiting_duration.load(std::memory_order_relaxed))];
            ++sums.calls;
        }
        if (open.contains(&node)) {
            const std::uint64_t since = zones.open.load(std::memory_order_acquire)
                                            ->entries[node.slot]
                                            .since.load(std::memory_order_relaxed);
            sums.open = now > since ? now - since : 0;
        }
        branch.sums.add(sums);
    }
    to.not_kept += zones.not_kept.load(std::memory_order_relaxed);
}

}  // namespace

void Sums::add(const Sums& other) {
    calls += other.calls;
    done += other.done;
    open += other.open;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    values += other.values;
    value_sum += other.value_sum;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        buckets[bucket] += other.buckets[bucket];
    }
}

double Sums::percentile(double share) const {
    if (calls == 0) {
        return 0;
    }
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(calls)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        seen += buckets[bucket];
        if (seen >= std::max<std::uint64_t>(wanted, 1)) {
            // The ends are known exactly.
            return std::clamp(ticks_of_bucket(bucket), static_cast<double>(least),
                              static_cast<double>(std::max(least, most)));
        }
    }
    return static_cast<double>(most);
}

std::uint64_t Branch::self() const noexcept {
    std::uint64_t inside = 0;
    for (const auto& child : children) {
        inside += child->sums.total();
    }
    return sums.total() > inside ? sums.total() - inside : 0;
}

Branch& Branch::child(const std::string& wanted) {
    for (const auto& known : children) {
        if (known->name == wanted) {
            return *known;
        }
    }
    children.push_back(std::make_unique<Branch>());
    children.back()->name = wanted;
    return *children.back();
}

Snapshot take_snapshot() {
    Snapshot snapshot;
    const std::uint64_t now = ticks();
    snapshot.seconds_per_tick = measure_ns_per_tick() * 1e-9;
    const std::uint64_t since = counting_since();
    snapshot.wall_seconds =
        since == 0 ? 0 : static_cast<double>(now - since) * snapshot.seconds_per_tick;
    {
        AllThreads& all = all_threads();
        const std::lock_guard lock(all.mutex);
        snapshot.threads = all.threads.size();
        for (const ThreadZones* zones : all.threads) {
            add_thread(*zones, now, snapshot);
        }
    }
    const StepMarks& marks = step_marks();
    snapshot.steps.done = marks.total.load(std::memory_order_relaxed);
    snapshot.steps.least = 0;
    snapshot.steps.most = UINT64_MAX;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        snapshot.steps.buckets[bucket] = marks.buckets[bucket].load(std::memory_order_relaxed);
        snapshot.steps.calls += snapshot.steps.buckets[bucket];
    }
    return snapshot;
}

}  // namespace taffrail::zones
