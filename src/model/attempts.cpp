#include "model/attempts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace taffrail::model {

std::vector<AttemptSteps> attempt_steps(std::span<const Point> points) {
    std::map<std::pair<std::int32_t, std::uint32_t>, AttemptSteps> ranges;
    for (const Point& point : points) {
        const auto [at, added] =
            ranges.try_emplace({point.rank, point.attempt},
                               AttemptSteps{point.rank, point.attempt, point.step, point.step});
        at->second.first_step = std::min(at->second.first_step, point.step);
        at->second.last_step = std::max(at->second.last_step, point.step);
    }
    std::vector<AttemptSteps> result;
    for (const auto& [who, range] : ranges) {
        result.push_back(range);
    }
    return result;
}

bool any_superseded(std::span<const AttemptSteps> attempts) {
    for (const AttemptSteps& older : attempts) {
        for (const AttemptSteps& newer : attempts) {
            if (newer.rank == older.rank && newer.attempt > older.attempt &&
                newer.first_step <= older.last_step && older.first_step <= newer.last_step) {
                return true;
            }
        }
    }
    return false;
}

std::vector<Point> choose_attempt(std::vector<Point> points, std::optional<std::uint32_t> attempt) {
    if (attempt) {
        std::erase_if(points, [&](const Point& point) { return point.attempt != *attempt; });
        return points;
    }
    const std::vector<AttemptSteps> attempts = attempt_steps(points);
    if (!any_superseded(attempts)) {
        return points;
    }
    std::erase_if(points, [&](const Point& point) {
        return std::any_of(attempts.begin(), attempts.end(), [&](const AttemptSteps& newer) {
            return newer.rank == point.rank && newer.attempt > point.attempt &&
                   newer.first_step <= point.step && point.step <= newer.last_step;
        });
    });
    return points;
}

}  // namespace taffrail::model
