// What a writer of packets says once and refers to later: names by number, clocks, defaults. Each
// sequence of packets has its own.
#pragma once

#include "base/bytes.h"
#include "profile/texts.h"

#include <cstdint>
#include <unordered_map>

namespace taffrail::profile {

class Profile;

struct PacketSequence {
    std::unordered_map<std::uint64_t, TextId> names, categories, annotation_names, texts;
    std::uint64_t default_track = 0, default_clock = 0;

    struct Clock {
        std::uint64_t last = 0, unit_ns = 1;
        std::int64_t offset_ns = 0;  ///< to the clock of the trace
        bool is_incremental = false;
    };

    std::unordered_map<std::uint64_t, Clock> clocks;

    void take_interned(ByteSpan message, Profile& profile);
    void take_defaults(ByteSpan message);
    void take_clocks(ByteSpan message);
    /// The time of a packet on the clock of the trace.
    std::int64_t time_ns(std::uint64_t timestamp, std::uint64_t clock_id);
};

}  // namespace taffrail::profile
