// Which points of event files count: TensorBoard's own rule, which is not that of native runs
// (model/attempts.h). A session start at a step purges what came before it from that step on, in
// every tag; steps that the new session logs below it purge nothing.
#pragma once

#include <taffrail/reader.h>

#include "sources/tensorboard/run_part.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace taffrail::sources::tensorboard {

using StepOfAttempt = std::map<std::uint32_t, Step>;

/// From which step on each attempt is purged by the ones after it. `smallest`: the smallest step
/// that each logged of one tag.
StepOfAttempt purged_from(const StepOfAttempt& smallest, std::span<const Restart> restarts);

/// Notes a point of the tag.
inline void note_step(StepOfAttempt& smallest, std::uint32_t attempt, Step step) {
    const auto [at, fresh] = smallest.try_emplace(attempt, step);
    at->second = std::min(at->second, step);
}

/// One flag a point, or nothing when none is purged. `points` are all of one tag. Where a file
/// logs steps again without a session start, each tag is purged from its own first step there.
std::vector<bool> purged(std::span<const Point> points, std::span<const Restart> restarts);

}  // namespace taffrail::sources::tensorboard
