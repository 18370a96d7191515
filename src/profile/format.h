// What a format of profiles is to the rest: how it is recognised, read and written, and what it can
// hold. The list of all is profile/formats.h.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "io/file.h"
#include "profile/output.h"
#include "profile/profile.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::profile {

struct WriteOptions {
    std::string value = {};  ///< value type by name or unit; the main one if empty
    std::string title = {};  ///< where the format shows one
    bool by_thread = false;  ///< where a format has no threads: each gets a root frame of its own
};

/// What a format can hold; others lose it, and docs/profiling/formats.md says so.
enum class Holds : std::uint32_t {
    Stacks = 1,      ///< weighted stacks
    ManyValues = 2,  ///< several weights a stack
    Graph = 4,       ///< calls between functions
    Spans = 8,       ///< begin and duration
    Instants = 16,
    Counters = 32,
    Flows = 64,
    Args = 128,
    Threads = 256,
    Files = 512,     ///< where a function stands: file and line
    Columns = 1024,  ///< and the column
    Calls = 2048,    ///< how often a function was called
    Metadata = 4096,
};

constexpr std::uint32_t operator|(Holds left, Holds right) noexcept {
    return static_cast<std::uint32_t>(left) | static_cast<std::uint32_t>(right);
}

constexpr std::uint32_t operator|(std::uint32_t left, Holds right) noexcept {
    return left | static_cast<std::uint32_t>(right);
}

struct Format {
    std::string_view name;        ///< "speedscope"
    std::string_view summary;     ///< one line for people
    std::string_view extensions;  ///< ".json .gz", the usual one first
    std::uint32_t holds = 0;      ///< Holds, or-ed
    /// By content, of the unpacked file; null for formats that are only written.
    bool (*recognises)(ByteSpan bytes) = nullptr;
    /// Everything good goes into `profile`, everything bad into its notes; fails only when nothing
    /// could be read.
    Result<void> (*read)(ByteSpan bytes, Profile& profile) = nullptr;
    /// May add derived parts to `profile`. Null for formats that are only read.
    Result<void> (*write)(Profile& profile, Output& out, const WriteOptions& options) = nullptr;
    /// As `read`, of the first `size` bytes of pages that are given back once they are read; null
    /// where reading looks back.
    Result<void> (*read_once)(const io::Mapping& pages, std::size_t size,
                              Profile& profile) = nullptr;

    [[nodiscard]] bool can_hold(Holds what) const noexcept {
        return (holds & static_cast<std::uint32_t>(what)) != 0;
    }
};

}  // namespace taffrail::profile
