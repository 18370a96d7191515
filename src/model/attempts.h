// Which points count when a run was resumed and logged some steps again: those of the newest
// attempt.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taffrail::model {

/// Steps that an attempt logged on a rank, both ends included.
struct AttemptSteps {
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    Step first_step = 0, last_step = 0;
};

/// The range of steps of each attempt on each rank in `points`.
std::vector<AttemptSteps> attempt_steps(std::span<const Point> points);

/// True when a newer attempt of the same rank logged steps that an older one has too.
bool any_superseded(std::span<const AttemptSteps> attempts);

/// The points of one attempt, or (absent) the winning ones: a point is left out when a newer
/// attempt logged a range of steps that contains its own. Order is kept.
std::vector<Point> choose_attempt(std::vector<Point> points, std::optional<std::uint32_t> attempt);

}  // namespace taffrail::model
