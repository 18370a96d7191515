// How long a run took, and whether one without an end goes on, as everything that shows it says it.
#pragma once

#include <taffrail/reader.h>

#include "base/clock.h"

#include <cstdint>
#include <optional>

namespace taffrail::model {

/// From its start to its last sign of life. Nothing where the clock cannot tell: it was set back
/// while the run went on, the start is not known, or the two are further apart than any run.
inline std::optional<std::int64_t> duration_ns(const RunInfo& info) {
    std::int64_t duration = 0;
    if (info.start_time_ns == 0 || info.end_time_ns < info.start_time_ns ||
        __builtin_sub_overflow(info.end_time_ns, info.start_time_ns, &duration)) {
        return std::nullopt;
    }
    return duration;
}

/// Whether the last sign of life of a run that says no end is younger than ten minutes.
inline bool moved_lately(std::int64_t sign_of_life_ns) {
    constexpr std::int64_t kQuietNs = std::int64_t{10} * 60 * 1'000'000'000;
    return sign_of_life_ns > wall_time_ns() - kQuietNs;
}

}  // namespace taffrail::model
