#include "sources/tensorboard/bin_cache.h"

#include <algorithm>
#include <map>

namespace taffrail::tensorboard {

std::vector<Point> winning_points(std::vector<Point> points, std::span<const Restart> restarts,
                                  std::optional<std::uint32_t> attempt) {
    if (attempt) {
        std::erase_if(points, [&](const Point& point) { return point.attempt != *attempt; });
        return points;
    }
    if (restarts.empty()) {
        return points;
    }
    // From which step on does attempt b replace what came before it?
    std::map<std::uint32_t, Step> first_step;
    for (const Point& point : points) {
        const auto [at, fresh] = first_step.try_emplace(point.attempt, point.step);
        if (!fresh) {
            at->second = std::min(at->second, point.step);
        }
    }
    std::erase_if(points, [&](const Point& point) {
        return std::any_of(restarts.begin(), restarts.end(), [&](const Restart& restart) {
            if (restart.attempt <= point.attempt) {
                return false;
            }
            const auto own = first_step.find(restart.attempt);
            const Step from = restart.from_step         ? *restart.from_step
                              : own != first_step.end() ? own->second
                                                        : INT64_MAX;
            return point.step >= from && from != INT64_MAX;
        });
    });
    return points;
}

std::shared_ptr<const model::SeriesIndex> BinCache::get(
    std::string_view key, std::optional<std::uint32_t> attempt, std::uint64_t revision,
    const std::function<std::vector<Point>()>& make) {
    {
        std::lock_guard lock(mutex_);
        for (auto item = items_.begin(); item != items_.end(); ++item) {
            if (item->key == key && item->attempt == attempt && item->revision == revision) {
                items_.splice(items_.begin(), items_, item);
                return item->index;
            }
        }
    }
    auto index = std::make_shared<model::SeriesIndex>();
    const std::vector<Point> points = make();
    std::vector<Step> steps;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    steps.reserve(points.size());
    times.reserve(points.size());
    values.reserve(points.size());
    for (const Point& point : points) {
        steps.push_back(point.step);
        times.push_back(point.time_ns);
        values.push_back(point.value);
    }
    index->append({.step = steps, .time_ns = times}, values);
    if (points.size() < kWorthKeeping) {
        return index;
    }
    std::lock_guard lock(mutex_);
    std::erase_if(items_,
                  [&](const Item& item) { return item.key == key && item.attempt == attempt; });
    items_.push_front({std::string(key), attempt, revision, index});
    if (items_.size() > kKept) {
        items_.pop_back();
    }
    return index;
}

}  // namespace taffrail::tensorboard
