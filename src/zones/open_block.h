// Which zones are open, where a kill cannot take it away: a small file mapped into the process that
// holds, for each thread, the stack of its open zones. Nothing has to be flushed: the stores of the
// zones themselves are in the file, and whoever reads it later sees where the process stood.
// Layout: docs/formats/tprof.md, "The block of open zones".
#pragma once

#include <taffrail/result.h>

#include "io/file.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::zones {

inline constexpr std::uint32_t kOpenDepth = 64;
inline constexpr std::uint32_t kOpenThreads = 256;
inline constexpr std::uint32_t kNameBytes = 256 * 1024;

/// Written by its thread; every field may be torn from another at any moment.
struct OpenThread {
    struct Entry {
        std::atomic<std::uint64_t> since = 0;
        std::atomic<std::uint32_t> site = 0;
        std::uint32_t reserved = 0;
    };

    std::atomic<std::int64_t> thread_id = 0;  ///< 0: nobody's
    std::atomic<std::uint32_t> depth = 0;
    std::uint32_t reserved = 0;
    char name[16] = {};
    Entry entries[kOpenDepth] = {};
};

static_assert(sizeof(OpenThread) == 32 + 16 * kOpenDepth);

struct OpenHeader {
    char magic[8] = {};
    std::uint32_t version = 0;
    std::uint32_t process_id = 0;
    double ns_per_tick = 0;
    std::uint64_t anchor_ticks = 0;
    std::int64_t anchor_wall_ns = 0;
    std::atomic<std::uint64_t> now_ticks = 0;  ///< last sign of life, by whoever writes frames
    std::atomic<std::int64_t> step = 0;
    std::atomic<std::uint64_t> steps = 0;
    std::atomic<std::uint32_t> name_bytes = 0;
    std::atomic<std::uint32_t> threads_left_out = 0;
};

/// One zone that was open when its process ended.
struct OpenZone {
    std::int64_t thread_id = 0;
    std::string thread_name = {};
    std::string name = {};
    std::uint32_t depth = 0;
    std::int64_t since_ns = 0;  ///< UTC
};

struct OpenZones {
    std::uint32_t process_id = 0;
    std::uint64_t steps = 0;
    std::int64_t step = 0;
    std::vector<OpenZone> zones = {};  ///< thread by thread, outermost first
};

/// The writing side.
class OpenBlock {
  public:
    static Result<std::unique_ptr<OpenBlock>> create(const std::string& path);
    /// Takes the file away: nothing is open any more that anybody should hear of.
    ~OpenBlock();

    /// A place for one more thread; nullptr when all are taken.
    OpenThread* take_thread() noexcept;
    void give_thread(OpenThread* thread) noexcept;
    /// So that a reader can name it. Once for each site.
    void add_name(std::uint32_t site, std::string_view name) noexcept;
    OpenHeader& header() noexcept;
    void remove_file() noexcept;
    /// Moves to the addresses of a block that was abandoned, which is left empty: processes with
    /// many short runs need one range for all of them. Before anybody has a place in this one.
    bool move_to_place_of(OpenBlock& earlier) noexcept;
    /// The file keeps what it has, and nobody can write into it any more: what a forked child does,
    /// and whoever ends before the threads that hold a place.
    void abandon() noexcept;

  private:
    OpenBlock() = default;

    std::string path_;
    std::unique_ptr<io::File> file_;
    io::Mapping mapping_;
    bool ours_ = true;
};

/// Reads what a process left behind. Anything that is not as the layout says is an error, or left
/// out where the rest can be read.
Result<OpenZones> read_open_zones(const std::string& path);
/// The same of bytes; never reads outside of them.
Result<OpenZones> parse_open_zones(ByteSpan bytes, const std::string& path);

}  // namespace taffrail::zones
