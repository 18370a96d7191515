#include "sources/tensorboard/bin_cache.h"

#include <algorithm>

namespace taffrail::sources::tensorboard {

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

}  // namespace taffrail::sources::tensorboard
