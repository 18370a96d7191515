#include "model/kept_bins.h"

#include "model/axes.h"
#include "model/bins.h"

#include <algorithm>
#include <cmath>

namespace taffrail::model {
namespace {

std::shared_ptr<const SeriesIndex> index_of(std::span<const Point> points) {
    std::vector<Step> steps;
    std::vector<std::int64_t> times, samples;
    std::vector<double> values, epochs;
    steps.reserve(points.size());
    times.reserve(points.size());
    values.reserve(points.size());
    for (const Point& point : points) {
        steps.push_back(point.step);
        times.push_back(point.time_ns);
        values.push_back(point.value);
    }
    // An axis that no point has costs nothing.
    if (std::ranges::any_of(points, [](const Point& p) { return !std::isnan(p.epoch); })) {
        for (const Point& point : points) {
            epochs.push_back(point.epoch);
        }
    }
    if (std::ranges::any_of(points, [](const Point& p) { return p.samples != INT64_MIN; })) {
        for (const Point& point : points) {
            samples.push_back(point.samples);
        }
    }
    auto index = std::make_shared<SeriesIndex>();
    index->append({.step = steps, .time_ns = times, .epoch = epochs, .samples = samples}, values);
    return index;
}

}  // namespace

std::shared_ptr<const SeriesIndex> KeptBins::get(std::string_view key,
                                                 std::optional<std::uint32_t> attempt,
                                                 std::uint64_t revision, const Make& make) {
    {
        const std::lock_guard lock(mutex_);
        for (auto item = items_.begin(); item != items_.end(); ++item) {
            if (item->key == key && item->attempt == attempt && item->revision == revision) {
                items_.splice(items_.begin(), items_, item);
                return item->index;
            }
        }
    }
    // Without the lock: two that ask at once both make it, and nobody waits for another's series.
    const std::vector<Point> points = make();
    auto index = index_of(points);
    if (points.size() < worth_keeping_) {
        return index;
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(items_,
                  [&](const Item& item) { return item.key == key && item.attempt == attempt; });
    items_.push_front({std::string(key), attempt, revision, index});
    if (items_.size() > most_) {
        items_.pop_back();
    }
    return index;
}

Result<Bins> bins_along_metric(std::span<const Point> points, std::span<const Point> metric,
                               const BinRequest& request) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const Point& point : points) {
        values.push_back(point.value);
    }
    return bins_of_points(metric_positions(points, metric), values, request);
}

}  // namespace taffrail::model
