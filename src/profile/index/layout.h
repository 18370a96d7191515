// The file that a large profile is looked at through: columns that are mapped and searched where
// they lie, so that a trace of gigabytes takes no memory while somebody pans through it. It can be
// made again from the profile at any time, and lives in the user's cache.
//
// A head of fixed size names the sections; each is one column, and begins at a multiple of eight.
// Slices lie row after row: a row is one depth of one thread, its slices do not overlap and are in
// order of time, which is what makes every question a binary search.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "io/file.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace taffrail::profile {

enum class Section : std::uint8_t {
    Info,        ///< JSON: what a page needs before it asks anything else
    TextEnds,    ///< u64, end of each text in TextBytes
    TextBytes,   ///< names, categories, titles
    Begin,       ///< i64 nanoseconds since the beginning of the trace, one for each slice
    Duration,    ///< i64
    BusyBefore,  ///< u64, sum of all durations before; one more than slices
    Name,        ///< u32, text
    Category,    ///< u32, text
    Args,        ///< u64, place in ArgsBytes behind its length (u32), or kInSource; 0 = none
    ArgsBytes,
    ArrowFromTime,   ///< i64, in order
    ArrowToTime,     ///< i64
    ArrowFromTrack,  ///< u32
    ArrowToTrack,    ///< u32
    ArrowName,       ///< u32, text
    CounterTime,     ///< i64, curve after curve
    CounterValue,    ///< f64
    FlameParent,     ///< u32, nodes in preorder, the root first
    FlameEnd,        ///< u32, the node behind everything below
    FlameTitle,      ///< u32, text
    FlameTotal,      ///< f64, value after value
    FlameSelf,       ///< f64
    Functions,       ///< JSON: the table of functions
    Count,
};

inline constexpr std::size_t kSections = static_cast<std::size_t>(Section::Count);
inline constexpr std::string_view kIndexMagic = "TFINDEX2";
/// In a place of arguments: they are where the rest of it says in the profile itself. More than
/// half of a trace is arguments, and few of them are ever looked at.
inline constexpr std::uint64_t kInSource = std::uint64_t{1} << 63;
inline constexpr std::size_t kMaxArgsBytes = 64u << 10;

struct IndexHead {
    std::array<char, 8> magic = {};
    std::uint64_t file_bytes = 0;

    struct Place {
        std::uint64_t offset = 0, bytes = 0;
    };

    std::array<Place, kSections> places = {};
};

/// The end of the names of files that are being made, or were left by a program that died.
inline constexpr const char* kUnfinished = ".part";

/// Writes the sections one after the other, into a file that gets its name when it is whole.
class IndexWriter {
  public:
    static Result<std::unique_ptr<IndexWriter>> begin(const std::string& path);
    ~IndexWriter();
    IndexWriter(const IndexWriter&) = delete;
    IndexWriter& operator=(const IndexWriter&) = delete;

    /// Failures are kept and told by finish().
    void section(Section section, ByteSpan bytes);

    template <typename T>
    void column(Section which, std::span<const T> values) {
        section(which, {reinterpret_cast<const std::byte*>(values.data()), values.size_bytes()});
    }

    /// Of a section that comes in pieces.
    void open_section(Section section);
    void add(ByteSpan bytes);
    void close_section();

    Result<void> finish();

  private:
    explicit IndexWriter(std::string path) : path_(std::move(path)) {}

    std::string path_, unfinished_;
    std::unique_ptr<io::File> file_;
    IndexHead head_;
    Section open_ = Section::Count;
    Result<void> failure_;
    bool is_finished_ = false;
};

}  // namespace taffrail::profile
