// The bytes of a ring file: what a log call writes with plain stores, and what is left of it when
// the process dies.
//
//   page 0   RingHeader   who owns the ring; written once, under its own CRC
//   page 1   RingState    the two counters and what else both sides touch while they run
//   page 2…  words        the entries; a power of two of them, position p stands at word p &
//   (capacity - 1)
//
// An entry is a run of 8-byte words that never wraps: a Pad entry fills the rest of a lap instead.
//   word 0   type:8 | flags:8 | route:16 | id:32
//   Row      word 1 step, word 2 ticks, then one value a key of schema `id`
//   Context  word 1 epoch (double), word 2 samples, word 3 phase: holds for the entries behind it
//   Bytes    word 1 step, word 2 ticks, word 3 length in bytes, then the bytes (see BytesKind in
//   `flags`) Pad      `id` words to skip, itself included
#pragma once

#include <taffrail/key.h>
#include <taffrail/record.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace taffrail::record {

enum class EntryType : std::uint8_t { Row = 1, Context = 2, Bytes = 3, Pad = 4 };

/// What a Bytes entry holds; bit 7 of the flags (kHiddenFlag) may be set beside it.
enum class BytesKind : std::uint8_t {
    Value = 1,        ///< id = key; u8 kind, then the encoded metadata
    Spooled = 2,      ///< id = key; u32 spool file, u64 offset, u64 length of a value in the spool
    Meta = 3,         ///< id = meta type; the payload
    Console = 4,      ///< id = stream; the text
    SpooledMeta = 5,  ///< id = meta type; the payload is in the spool, as for Spooled
};

/// The row is delivered to sinks but hidden from readers of the native store.
inline constexpr std::uint8_t kHiddenFlag = 0x80;

inline constexpr std::size_t kRowWords = 3;    ///< before the values of a Row
inline constexpr std::size_t kBytesWords = 4;  ///< before the bytes of a Bytes entry
inline constexpr std::size_t kContextWords = 4;
/// Longer byte strings go to the spool.
inline constexpr std::size_t kMaxInlineBytes = 4096;
/// Wider rows are split by the caller.
inline constexpr std::size_t kMaxRowWidth = 2048;
/// A ring holds the widest entry several times over.
inline constexpr std::size_t kMinRingBytes = 64 << 10;

constexpr std::uint64_t pack_word0(EntryType type, std::uint8_t flags, RouteMask route,
                                   std::uint32_t id) noexcept {
    return static_cast<std::uint64_t>(type) | static_cast<std::uint64_t>(flags) << 8 |
           static_cast<std::uint64_t>(route) << 16 | static_cast<std::uint64_t>(id) << 32;
}

constexpr EntryType entry_type(std::uint64_t word0) noexcept {
    return static_cast<EntryType>(word0 & 0xFF);
}

constexpr std::uint8_t entry_flags(std::uint64_t word0) noexcept {
    return static_cast<std::uint8_t>(word0 >> 8);
}

constexpr RouteMask entry_route(std::uint64_t word0) noexcept {
    return static_cast<RouteMask>(word0 >> 16);
}

constexpr std::uint32_t entry_id(std::uint64_t word0) noexcept {
    return static_cast<std::uint32_t>(word0 >> 32);
}

/// Epoch, samples and phase as later records carry them.
struct Context {
    double epoch = std::numeric_limits<double>::quiet_NaN();  ///< NaN = none
    std::int64_t samples = INT64_MIN;                         ///< INT64_MIN = none
    std::uint64_t phase = 0;
};

struct RingHeader {
    char magic[8];
    std::uint32_t version;
    std::uint32_t crc;  ///< CRC-32C of everything behind this field
    std::uint64_t writer;
    std::uint32_t ring_number;  ///< unique in the writer
    std::uint32_t
        producer;  ///< rings of one producer hold its entries in the order of `generation`
    std::uint32_t generation;
    std::uint32_t inode_part;  ///< of the file itself, so that a copy is known as one; 0 = unknown
    std::uint64_t capacity_words;
    char run_id[64];
    char boot_id[40];
};

static_assert(std::is_trivially_copyable_v<RingHeader>);

/// What of an inode number stands in the header.
constexpr std::uint32_t inode_part(std::uint64_t inode) noexcept {
    return static_cast<std::uint32_t>(inode ^ inode >> 32);
}

inline constexpr char kRingMagic[8] = {'T', 'A', 'F', 'R', 'I', 'N', 'G', '1'};
inline constexpr std::size_t kRingStateOffset = 4096;
inline constexpr std::size_t kRingDataOffset = 8192;

/// Positions count words since the ring was made; they never wrap in practice.
struct RingState {
    /// Producer: everything before it is whole.
    alignas(128) std::atomic<std::uint64_t> head;
    /// Producer: values that found no room, and the ticks of the first and the last of them.
    std::atomic<std::uint64_t> lost;
    std::atomic<std::uint64_t> first_lost_ticks;
    std::atomic<std::uint64_t> last_lost_ticks;
    /// Producer: it went on in the ring of the next generation; nothing follows here.
    std::atomic<std::uint32_t> closed;

    /// Collector: everything before it is in the log and may be written over.
    alignas(128) std::atomic<std::uint64_t> tail;
    /// Bumped with each move of the tail; a producer without room waits on it.
    std::atomic<std::uint32_t> tail_signal;

    /// The context in force at `position`, so that a ring can be read from there. Two slots: the
    /// older one is written, its position last, while the newer one stays whole.
    struct ContextSlot {
        std::atomic<std::uint64_t> position;
        Context context;
    } contexts[2];

    /// A producer sleeps on tail_signal.
    alignas(128) std::atomic<std::uint32_t> waiting;
};

static_assert(sizeof(RingState) <= kRingDataOffset - kRingStateOffset);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace taffrail::record
