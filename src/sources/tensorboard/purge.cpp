#include "sources/tensorboard/purge.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffrail::tensorboard {

std::vector<bool> purged(std::span<const Point> points, std::span<const Restart> restarts) {
    if (restarts.empty()) {
        return {};
    }
    std::map<std::uint32_t, Step> first_step;
    for (const Point& point : points) {
        const auto [at, fresh] = first_step.try_emplace(point.attempt, point.step);
        at->second = std::min(at->second, point.step);
    }
    // From which step on each attempt is purged by the ones after it.
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
    summary.min = summary.max = summary.last = std::nan("");
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!purged.empty() && purged[i]) {
            continue;
        }
        const Point& point = points[i];
        const bool first = summary.count++ == 0;
        summary.nan_count += std::isnan(point.value) ? 1 : 0;
        summary.sum += std::isfinite(point.value) ? point.value : 0;
        summary.min = std::fmin(summary.min, point.value);
        summary.max = std::fmax(summary.max, point.value);
        summary.last = point.value;
        summary.first_step = first ? point.step : std::min(summary.first_step, point.step);
        summary.last_step = first ? point.step : std::max(summary.last_step, point.step);
        summary.first_time_ns = first ? point.time_ns : summary.first_time_ns;
        summary.last_time_ns = point.time_ns;
    }
    return summary;
}

}  // namespace taffrail::tensorboard
