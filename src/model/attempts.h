// Which points count when a run was resumed and logged some steps again. This is the only place
// that knows the rule; docs/formats/layout.md states it.
//
// A resumed attempt supersedes what older attempts logged at steps from R on, without an end. R is
// the smaller of the step it was told to resume at, which counts for every series of the run, and
// the smallest step it logged in the series. Each rank has its own R; ranks that the newer attempt
// lacks follow its rank 0.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taffrail::model {

/// A process of the run, whatever it logged.
struct AttemptProcess {
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    std::optional<Step> resume_step;
};

/// Of a run in which one process a time logged, and whose resumes name no step.
std::vector<AttemptProcess> one_process_each(std::size_t attempts);

/// Steps of one series that a process logged, both ends included.
struct AttemptSteps {
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    Step first_step = 0, last_step = 0;
};

/// The range of steps of each process in `points`.
std::vector<AttemptSteps> attempt_steps(std::span<const Point> points);

/// Takes a point into `ranges`. Points of a process come one behind the other mostly, so the last
/// range is looked at first.
void take_step(std::vector<AttemptSteps>& ranges, const Point& point);

/// The rule for one series.
class WinningRule {
  public:
    WinningRule(std::span<const AttemptProcess> processes, std::span<const AttemptSteps> logged);

    /// No point of the series is superseded.
    [[nodiscard]] bool all_win() const noexcept { return all_win_; }

    /// The first step from which on the points of a process are superseded.
    [[nodiscard]] std::optional<Step> superseded_from(std::int32_t rank,
                                                      std::uint32_t attempt) const;

    [[nodiscard]] bool wins(const Point& point) const {
        const auto from = superseded_from(point.rank, point.attempt);
        return !from || point.step < *from;
    }

  private:
    std::map<std::pair<std::int32_t, std::uint32_t>, Step> superseded_from_;
    bool all_win_ = true;
};

/// The rule as cursors take it: from which step on the points of a process do not count. Empty
/// where all do.
std::function<std::optional<Step>(std::int32_t rank, std::uint32_t attempt)> superseded_by(
    WinningRule rule);

/// False when surely no point is superseded. Ranks are not looked at, so that ranges of all ranks
/// together will do.
bool may_supersede(std::span<const AttemptProcess> processes,
                   std::span<const AttemptSteps> logged) noexcept;

/// One flag a point, or nothing when none is superseded. `points` are all of a series.
std::vector<bool> superseded(std::span<const AttemptProcess> processes,
                             std::span<const Point> points);

/// The points of one attempt, or (absent) the winning ones. Order is kept.
std::vector<Point> choose_attempt(std::vector<Point> points,
                                  std::span<const AttemptProcess> processes,
                                  std::optional<std::uint32_t> attempt);

/// `points` without those whose flag is set; an empty `flags` flags none.
std::vector<Point> without_flagged(std::vector<Point> points, const std::vector<bool>& flags);

}  // namespace taffrail::model
