#include "sources/tensorboard/purge.h"

#include <algorithm>
#include <map>

namespace taffrail::sources::tensorboard {

StepOfAttempt purged_from(const StepOfAttempt& smallest, std::span<const Restart> restarts) {
    StepOfAttempt purged_from;
    for (const auto& [attempt, first] : smallest) {
        for (const Restart& restart : restarts) {
            const auto own = smallest.find(restart.attempt);
            const std::optional<Step> from = restart.from_step ? restart.from_step
                                             : own != smallest.end()
                                                 ? std::optional<Step>(own->second)
                                                 : std::nullopt;
            if (restart.attempt > attempt && from) {
                note_step(purged_from, attempt, *from);
            }
        }
    }
    return purged_from;
}

std::vector<bool> purged(std::span<const Point> points, std::span<const Restart> restarts) {
    if (restarts.empty()) {
        return {};
    }
    StepOfAttempt smallest;
    for (const Point& point : points) {
        note_step(smallest, point.attempt, point.step);
    }
    const StepOfAttempt purged_from = tensorboard::purged_from(smallest, restarts);
    std::vector<bool> flags(points.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto from = purged_from.find(points[i].attempt);
        flags[i] = from != purged_from.end() && points[i].step >= from->second;
        any = any || flags[i];
    }
    return any ? flags : std::vector<bool>();
}

}  // namespace taffrail::sources::tensorboard
