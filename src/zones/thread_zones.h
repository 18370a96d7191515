// The zones of one thread: a tree with one node for each way from the root to a site, written by
// its thread alone and read by anybody at any time. Nodes live in chunks that never move and never
// go; what a thread counted stays after its end.
//
// Everything that readers look at is atomic and stored relaxed: on the machines we run on these are
// plain moves. A reader may see a node between two of its stores; that is one call more or less in
// a table.
#pragma once

#include <taffrail/zone.h>

#include "io/file.h"
#include "zones/buckets.h"
#include "zones/open_block.h"
#include "zones/trace_buffer.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace taffrail::detail {

/// Two cache lines; the sketch stands apart, so that nodes do not all fall into the same lines.
struct alignas(64) ZoneNode {
    ZoneSite* site = nullptr;
    ZoneNode* parent = nullptr;
    ZoneNode* hint = nullptr;  ///< the child that was entered last
    ZoneNode* next = nullptr;  ///< ring of the children of one parent
    std::uint32_t slot = 0;    ///< of the stack of open zones
    std::uint32_t site_id = 0;
    std::atomic<std::uint64_t> total = 0;
    std::atomic<std::uint64_t> least = UINT64_MAX;
    std::atomic<std::uint64_t> most = 0;
    // Second line
    std::atomic<std::uint64_t>* buckets = nullptr;
    std::uint32_t depth = 0;
    bool lap = false;
    bool span = false;
    std::atomic<std::uint64_t> values = 0;
    std::atomic<double> value_sum = 0;
};

static_assert(sizeof(ZoneNode) == 128);

}  // namespace taffrail::detail

namespace taffrail::zones {

using Node = detail::ZoneNode;

inline constexpr std::uint32_t kNodesInChunk = 64;
inline constexpr std::uint32_t kMostChunks = 256;  ///< 16,384 places a thread, 64 MiB of sketches
inline constexpr std::uint32_t kMostDepth = 128;

class ThreadZones {
  public:
    ThreadZones();

    /// The child of `parent` at `site`, made when it is new; nullptr when there is no room.
    Node* child_of(Node& parent, ZoneSite& site, bool span) noexcept;

    /// Whether child_of() would find or make it.
    [[nodiscard]] bool has_room(const Node& parent, const ZoneSite& site) const noexcept;

    /// Nodes 0 … count() - 1 are whole; the first is the root, which is no zone.
    [[nodiscard]] std::uint32_t count() const noexcept {
        return count_.load(std::memory_order_acquire);
    }

    [[nodiscard]] Node& node(std::uint32_t index) const noexcept {
        return chunks_[index / kNodesInChunk]->nodes[index % kNodesInChunk];
    }

    std::atomic<Node*> current = nullptr;
    /// The zone that was left last, whose duration is not in its sketch yet.
    std::atomic<Node*> waiting = nullptr;
    std::atomic<std::uint64_t> waiting_duration = 0;
    /// Where the open zones stand for others to see: in a file once there is a run.
    std::atomic<OpenThread*> open = nullptr;
    OpenThread own_open = {};
    /// While zones are kept one by one; the buffer itself stays with the thread.
    std::atomic<TraceBuffer*> trace = nullptr;
    TraceBuffer* own_trace = nullptr;
    std::atomic<bool> ended = false;
    std::atomic<std::uint64_t> not_kept = 0;
    std::int64_t thread_id = 0;
    Node nobody = {};  ///< what `hint` of a node without children points to

  private:
    struct Chunk {
        Node nodes[kNodesInChunk];
        std::atomic<std::uint64_t> buckets[kNodesInChunk][kBuckets];
    };

    Node* make(Node* parent, ZoneSite* site, bool span) noexcept;

    std::array<Chunk*, kMostChunks> chunks_ = {};
    std::array<io::Mapping*, kMostChunks> pages_ = {};  ///< of the chunks; never given back
    std::atomic<std::uint32_t> count_ = 0;
};

/// All threads that ever entered a zone. The lock is for the list, not for what stands in it.
struct AllThreads {
    std::mutex mutex;
    std::vector<ThreadZones*> threads;
    OpenBlock* block = nullptr;             ///< of the run, when there is one
    std::vector<OpenBlock*> detached = {};  ///< of earlier runs
    bool tracing = false;
};

AllThreads& all_threads();

/// Of this thread; made at first use. nullptr when there is no memory.
ThreadZones* zones_of_this_thread() noexcept;

/// Where the counters of all threads stood when counting began; for the share of the wall time.
std::uint64_t counting_since() noexcept;

struct StepMarks {
    std::atomic<std::uint64_t> count = 0;
    std::atomic<std::int64_t> step = 0;
    std::atomic<std::uint64_t> at = 0;
    std::atomic<std::uint64_t> total = 0;
    std::array<std::atomic<std::uint64_t>, kBuckets> buckets = {};
};

StepMarks& step_marks();

}  // namespace taffrail::zones
