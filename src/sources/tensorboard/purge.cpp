#include "sources/tensorboard/purge.h"

#include "model/series_summary.h"

#include <algorithm>
#include <map>

namespace taffrail::tensorboard {

std::map<std::uint32_t, Step> purged_from(std::span<const Point> points,
                                          std::span<const Restart> restarts) {
    if (restarts.empty()) {
        return {};
    }
    std::map<std::uint32_t, Step> first_step;
    for (const Point& point : points) {
        const auto [at, fresh] = first_step.try_emplace(point.attempt, point.step);
        at->second = std::min(at->second, point.step);
    }
    std::map<std::uint32_t, Step> purged_from;
    for (const auto& [attempt, first] : first_step) {
        for (const Restart& restart : restarts) {
            const auto own = first_step.find(restart.attempt);
            const std::optional<Step> from = restart.from_step ? restart.from_step
                                             : own != first_step.end()
                                                 ? std::optional<Step>(own->second)
                                                 : std::nullopt;
            if (restart.attempt > attempt && from) {
                const auto [at, fresh] = purged_from.try_emplace(attempt, *from);
                at->second = std::min(at->second, *from);
            }
        }
    }
    return purged_from;
}

std::vector<bool> purged(std::span<const Point> points, std::span<const Restart> restarts) {
    const std::map<std::uint32_t, Step> purged_from = tensorboard::purged_from(points, restarts);
    std::vector<bool> flags(points.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto from = purged_from.find(points[i].attempt);
        flags[i] = from != purged_from.end() && points[i].step >= from->second;
        any = any || flags[i];
    }
    return any ? flags : std::vector<bool>();
}

SeriesSummary summary_of_kept(std::span<const Point> points, const std::vector<bool>& purged) {
    SeriesSummary summary;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!purged.empty() && purged[i]) {
            continue;
        }
        model::add_point(summary, points[i].value, points[i].step, points[i].time_ns);
    }
    return summary;
}

}  // namespace taffrail::tensorboard
