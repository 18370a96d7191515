#include "zones/thread_zones.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "io/map_memory.h"
#include "zones/attach.h"
#include "zones/exit_report.h"
#include "zones/named_sites.h"
#include "zones/this_thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace taffrail::zones {

namespace {

// A thread whose thread-local objects are being destroyed: zones in later destructors are not kept.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool over = false;
// Also where the processor's counter cannot be used; this_thread is for those who read it.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadZones* mine_by_any_clock = nullptr;

std::atomic<std::uint64_t> first_zone{0};

// Gives the zones of a thread to the next one that starts: what stands in them is the sum over all
// threads that had them, so programs with many short threads need no more memory than those that
// run at once.
struct ThreadEnd {
    ThreadZones* zones = nullptr;

    ~ThreadEnd() {
        if (zones == nullptr) {
            return;
        }
        close_all(*zones);
        over = true;
        this_thread = mine_by_any_clock = nullptr;
        AllThreads& all = all_threads();
        const std::lock_guard lock(all.mutex);
        OpenThread* open = zones->open.exchange(&zones->own_open);
        if (open != &zones->own_open && all.block != nullptr) {
            all.block->give_thread(open);
        }
        zones->ended.store(true, std::memory_order_release);
    }
};

thread_local ThreadEnd thread_end;

// fork(): the child has this thread alone, begins with empty counts, and keeps its hands off the
// parent's file.
void begin_child() {
    AllThreads& all = all_threads();
    if (all.block != nullptr) {
        all.block->abandon();
        all.block = nullptr;
    }
    all.tracing = false;
    forget_files_of_run();
    for (ThreadZones* zones : all.threads) {
        zones->open.store(&zones->own_open, std::memory_order_relaxed);
        zones->trace.store(nullptr, std::memory_order_relaxed);
        if (zones != mine_by_any_clock) {
            zones->ended.store(true, std::memory_order_relaxed);
            zones->current.store(&zones->node(0), std::memory_order_relaxed);
        }
    }
    if (mine_by_any_clock != nullptr) {
        mine_by_any_clock->thread_id = ::syscall(SYS_gettid);
    }
    clear_counts(all);
    first_zone.store(ticks(), std::memory_order_relaxed);
}

void guard_over_fork_once() {
    static const int registered =
        ::pthread_atfork([] { all_threads().mutex.lock(); }, [] { all_threads().mutex.unlock(); },
                         [] {
                             begin_child();
                             all_threads().mutex.unlock();
                         });
    static_cast<void>(registered);
}

ThreadZones* take_or_make(AllThreads& all) {
    for (ThreadZones* zones : all.threads) {
        if (zones->ended.load(std::memory_order_acquire)) {
            zones->ended.store(false, std::memory_order_relaxed);
            zones->current.store(&zones->node(0), std::memory_order_relaxed);
            return zones;
        }
    }
    auto* made = new ThreadZones;
    if (made->count() == 0) {
        delete made;
        return nullptr;
    }
    all.threads.push_back(made);
    return made;
}

}  // namespace

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadZones* this_thread = nullptr;

AllThreads& all_threads() {
    static auto* all = new AllThreads;
    return *all;
}

StepMarks& step_marks() {
    static auto* marks = new StepMarks;
    return *marks;
}

std::uint64_t counting_since() noexcept {
    return first_zone.load(std::memory_order_relaxed);
}

ThreadZones::ThreadZones() {
    nobody.next = &nobody;
    own_open.thread_id.store(-1, std::memory_order_relaxed);
    current.store(make(nullptr, nullptr, false), std::memory_order_relaxed);
    make(nullptr, nullptr, true);  // what spans hang below: node 1
}

Node* ThreadZones::make(Node* parent, ZoneSite* site, bool span) noexcept {
    const std::uint32_t index = count_.load(std::memory_order_relaxed);
    if (index == kNodesInChunk * kMostChunks) {
        return nullptr;
    }
    Chunk*& chunk = chunks_[index / kNodesInChunk];
    if (chunk == nullptr) {
        // Zero pages: a sketch takes memory when its first duration comes.
        auto pages = io::map_memory(sizeof(Chunk));
        if (!pages.ok()) {
            return nullptr;
        }
        static_assert(sizeof(Chunk) == 256 * 1024);
        auto* kept = new (std::nothrow) io::Mapping(*std::move(pages));
        if (kept == nullptr) {
            return nullptr;
        }
        pages_[index / kNodesInChunk] = kept;
        chunk = reinterpret_cast<Chunk*>(kept->data());
    }
    Node* node = new (&chunk->nodes[index % kNodesInChunk]) Node;
    node->buckets = chunk->buckets[index % kNodesInChunk];
    node->site = site;
    node->parent = parent;
    node->hint = &nobody;
    node->depth = parent == nullptr ? 0 : parent->depth + 1;
    node->slot = std::min(std::max(node->depth, 1u), kOpenDepth) - 1;
    node->site_id = site == nullptr ? 0 : site->id.load(std::memory_order_relaxed);
    node->span = span;
    count_.store(index + 1, std::memory_order_release);
    return node;
}

bool ThreadZones::has_room(const Node& parent, const ZoneSite& site) const noexcept {
    // A few places are left for calls that are only counted.
    if (parent.depth < kMostDepth && count() < kNodesInChunk * (kMostChunks - 8)) {
        return true;
    }
    const Node* const first = parent.hint;
    const Node* child = first;
    do {
        if (child->site == &site) {
            return true;
        }
        child = child->next;
    } while (child != first);
    return false;
}

Node* ThreadZones::child_of(Node& parent, ZoneSite& site, bool span) noexcept {
    Node* const first = parent.hint;
    if (first != &nobody) {
        Node* child = first;
        do {
            if (child->site == &site) {
                return child;
            }
            child = child->next;
        } while (child != first);
    }
    if (parent.depth >= kMostDepth) {
        not_kept.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    register_site(site);
    Node* made = make(&parent, &site, span);
    if (made == nullptr) {
        not_kept.fetch_add(1, std::memory_order_relaxed);
        diagnose_once(
            DiagnosticLevel::Warning, "zones.room",
            "a thread has entered zones in more than 16,384 different nestings, or memory "
            "is short: further ones are counted but not measured. Give zones of names "
            "made at run time fewer names");
        return nullptr;
    }
    if (first == &nobody) {
        made->next = made;
    } else {
        made->next = first->next;
        first->next = made;
    }
    return made;
}

void clear_counts(AllThreads& all) noexcept {
    const std::uint64_t now = ticks();
    for (ThreadZones* zones : all.threads) {
        for (std::uint32_t index = 0; index < zones->count(); ++index) {
            Node& node = zones->node(index);
            node.total.store(0, std::memory_order_relaxed);
            node.least.store(UINT64_MAX, std::memory_order_relaxed);
            node.most.store(0, std::memory_order_relaxed);
            node.values.store(0, std::memory_order_relaxed);
            node.value_sum.store(0, std::memory_order_relaxed);
            for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
                // Reading does not take a page; writing would.
                if (node.buckets[bucket].load(std::memory_order_relaxed) != 0) {
                    node.buckets[bucket].store(0, std::memory_order_relaxed);
                }
            }
        }
        zones->waiting.store(nullptr, std::memory_order_relaxed);
        OpenThread* open = zones->open.load(std::memory_order_acquire);
        for (OpenThread::Entry& entry : open->entries) {
            entry.since.store(now, std::memory_order_relaxed);
        }
        zones->not_kept.store(0, std::memory_order_relaxed);
    }
    StepMarks& marks = step_marks();
    marks.count.store(0, std::memory_order_relaxed);
    marks.total.store(0, std::memory_order_relaxed);
    for (auto& bucket : marks.buckets) {
        bucket.store(0, std::memory_order_relaxed);
    }
}

void begin_trace(ThreadZones& zones) noexcept {
    if (zones.own_trace == nullptr) {
        zones.own_trace = new (std::nothrow) TraceBuffer;
    }
    if (zones.own_trace != nullptr) {
        zones.own_trace->thread_id = zones.thread_id;
        zones.trace.store(zones.own_trace, std::memory_order_release);
    }
}

void begin_counting(std::uint64_t now) noexcept {
    first_zone.store(now, std::memory_order_relaxed);
}

void show_open(AllThreads& all, ThreadZones& zones) noexcept {
    OpenThread* place = all.block != nullptr ? all.block->take_thread() : nullptr;
    if (place == nullptr) {
        return;
    }
    // What is open already. Its thread goes on meanwhile: a zone that it enters now may be missing
    // until the next one at that depth.
    const OpenThread& before = *zones.open.load(std::memory_order_relaxed);
    for (std::uint32_t slot = 0; slot < kOpenDepth; ++slot) {
        place->entries[slot].since.store(before.entries[slot].since.load(std::memory_order_relaxed),
                                         std::memory_order_relaxed);
        place->entries[slot].site.store(before.entries[slot].site.load(std::memory_order_relaxed),
                                        std::memory_order_relaxed);
    }
    place->depth.store(before.depth.load(std::memory_order_relaxed), std::memory_order_relaxed);
    place->thread_id.store(zones.thread_id, std::memory_order_relaxed);
    zones.open.store(place, std::memory_order_release);
}

ThreadZones* zones_of_this_thread() noexcept {
    if (mine_by_any_clock != nullptr || over) {
        return mine_by_any_clock;
    }
    bool first = false;
    try {
        guard_over_fork_once();
        AllThreads& all = all_threads();
        const std::lock_guard lock(all.mutex);
        ThreadZones* zones = take_or_make(all);
        if (zones == nullptr) {
            return nullptr;
        }
        zones->open.store(&zones->own_open, std::memory_order_relaxed);
        zones->own_open.depth.store(0, std::memory_order_relaxed);
        zones->thread_id = ::syscall(SYS_gettid);
        show_open(all, *zones);
        if (all.tracing) {
            begin_trace(*zones);
        }
        mine_by_any_clock = zones;
        this_thread = ticks_are_tsc() ? zones : nullptr;
        thread_end.zones = zones;
        std::uint64_t none = 0;
        first = first_zone.compare_exchange_strong(none, ticks());
    } catch (...) {
        return nullptr;
    }
    if (first) {
        arm_exit_report();
        begin_files_of_run();
    }
    return mine_by_any_clock;
}

}  // namespace taffrail::zones
