// Which points of event files count: TensorBoard's own rule, which is not that of native runs
// (model/attempts.h). A session start at a step purges what came before it from that step on, in
// every tag; steps that the new session logs below it purge nothing.
#pragma once

#include <taffrail/reader.h>

#include "sources/tensorboard/run_part.h"

#include <map>
#include <span>
#include <vector>

namespace taffrail::tensorboard {

/// From which step on each attempt is purged by the ones after it. `points` are all of one tag.
std::map<std::uint32_t, Step> purged_from(std::span<const Point> points,
                                          std::span<const Restart> restarts);

/// One flag a point, or nothing when none is purged. `points` are all of one tag. Where a file
/// logs steps again without a session start, each tag is purged from its own first step there.
std::vector<bool> purged(std::span<const Point> points, std::span<const Restart> restarts);

/// Of the points that are not purged; count 0 when none is left.
SeriesSummary summary_of_kept(std::span<const Point> points, const std::vector<bool>& purged);

}  // namespace taffrail::tensorboard
