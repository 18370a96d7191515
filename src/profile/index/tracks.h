// Which span is drawn where: threads as tracks, depths as rows.
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile {

enum class TrackKind : std::uint8_t {
    Thread,    ///< spans that nest
    Async,     ///< spans that need not: each in the first row that is free
    Instants,  ///< what has a time and no length
};

/// A slice is a span, or an instant where the track says so.
struct PlannedTrack {
    ThreadId thread = 0;
    TrackKind kind = TrackKind::Thread;
    std::vector<std::uint64_t> row_sizes;  ///< slices of each row
    std::uint64_t too_deep = 0;            ///< spans below the last row, which are not drawn
};

struct TrackPlan {
    std::vector<PlannedTrack> tracks;
    std::vector<std::uint32_t> sources;  ///< the span or instant of each slice, row after row
    std::uint64_t left_out = 0;          ///< spans and instants of tracks beyond the limit
};

inline constexpr std::size_t kMaxRows = 512;
inline constexpr std::size_t kMaxTracks = 4096;

/// Tracks in the order in which people want them: processes and threads as they sort themselves,
/// else as they came.
TrackPlan plan_tracks(const Profile& profile);

/// Ends of spans as far as they can be counted.
inline std::int64_t end_of(const Span& span) noexcept {
    std::int64_t end_ns = 0;
    return __builtin_add_overflow(span.begin_ns, span.duration_ns < 0 ? 0 : span.duration_ns,
                                  &end_ns)
               ? INT64_MAX
               : end_ns;
}

}  // namespace taffrail::profile
