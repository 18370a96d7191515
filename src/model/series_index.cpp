#include "model/series_index.h"

#include "model/bin_query.h"
#include "model/bins.h"
#include "model/memory_segment.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace taffrail::model {

/// Sorted copies for axes that fall somewhere, each with the number of points it was made from.
struct SeriesIndex::SortedCache {
    struct Copy {
        std::uint64_t points;
        SortedSeries series;
    };

    std::mutex mutex;
    std::map<std::pair<Axis, std::int64_t>, std::shared_ptr<const Copy>> copies;
};

SeriesIndex::SeriesIndex()
    : axes_(std::make_shared<AxisTable>()), sorted_(std::make_shared<SortedCache>()) {}

SeriesIndex::SeriesIndex(std::shared_ptr<const AxisTable> axes)
    : shared_axes_(std::move(axes)), sorted_(std::make_shared<SortedCache>()) {}

void SeriesIndex::append(const AxisSpans& axes, std::span<const double> values) {
    assert(axes_ != nullptr);
    axes_->append(axes);
    append_values(values);
}

void SeriesIndex::append(const Point& point) {
    append({.step = {&point.step, 1},
            .time_ns = {&point.time_ns, 1},
            .epoch = {&point.epoch, 1},
            .samples = {&point.samples, 1}},
           {&point.value, 1});
}

void SeriesIndex::append_values(std::span<const double> values) {
    values_.append(values);
    std::uint64_t known =
        pyramid_.levels().empty() ? 0 : pyramid_.levels()[0].nodes() * kBaseFanOut;
    std::array<double, kBaseFanOut> block;
    for (; values_.size() - known >= kBaseFanOut; known += kBaseFanOut) {
        values_.copy(known, kBaseFanOut, block.data());
        pyramid_.add_block(block);
    }
}

std::unique_ptr<BinSegment> SeriesIndex::segment(Axis axis, std::int64_t origin_ns) const {
    const auto make = [&]<typename T>(const AxisColumn<T>& column,
                                      T origin) -> std::unique_ptr<BinSegment> {
        if (column.values.empty()) {
            return std::make_unique<PlacelessSegment>(values_.size());
        }
        if (!column.rising || column.values.size() < values_.size()) {
            return nullptr;
        }
        return std::make_unique<MemorySegment<T, PackedColumn<T>, PackedColumn<double>>>(
            column.values, column.coarse, origin, values_, pyramid_);
    };
    switch (axis) {
        case Axis::Steps:
            return make(axes().step(), std::int64_t{0});
        case Axis::WallTime:
            return make(axes().time(), std::int64_t{0});
        case Axis::RelativeTime:
            return make(axes().time(), origin_ns);
        case Axis::Epoch:
            return make(axes().epoch(), 0.0);
        case Axis::Samples:
            return make(axes().samples(), std::int64_t{0});
        case Axis::Metric:
            break;
    }
    return nullptr;
}

Result<Bins> SeriesIndex::bins(const BinRequest& request, std::int64_t origin_ns) const {
    if (request.axis == Axis::Metric) {
        return Error{ErrorCode::InvalidArgument,
                     "the axis is the metric '" + request.metric +
                         "', which a single series does not know: join the two first"};
    }
    if (const auto rising = segment(request.axis, origin_ns)) {
        const BinSegment* const segments[] = {rising.get()};
        return query_bins(segments, request);
    }
    const std::pair key{request.axis, request.axis == Axis::RelativeTime ? origin_ns : 0};
    std::shared_ptr<const SortedCache::Copy> sorted;
    {
        const std::lock_guard lock(sorted_->mutex);
        std::shared_ptr<const SortedCache::Copy>& kept = sorted_->copies[key];
        if (!kept || kept->points != points()) {
            std::vector<double> x = axes().positions(request.axis, origin_ns);
            x.resize(points());
            std::vector<double> values(points());
            values_.copy(0, values.size(), values.data());
            kept = std::make_shared<const SortedCache::Copy>(
                SortedCache::Copy{points(), SortedSeries(x, values)});
        }
        sorted = kept;
    }
    return sorted->series.bins(request);
}

SortedSeries::SortedSeries(std::span<const double> x, std::span<const double> value) {
    std::vector<std::uint32_t> order;
    order.reserve(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isfinite(x[i])) {
            order.push_back(static_cast<std::uint32_t>(i));
        }
    }
    without_place_ = x.size() - order.size();
    const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; };
    if (!std::is_sorted(order.begin(), order.end(), earlier)) {
        std::stable_sort(order.begin(), order.end(), earlier);
    }
    x_.reserve(order.size());
    values_.reserve(order.size());
    for (const std::uint32_t i : order) {
        if (x_.size() % node_points(1) == 0) {
            coarse_x_.push_back(x[i]);
        }
        x_.push_back(x[i]);
        values_.push_back(value[i]);
    }
    pyramid_.extend(values_);
}

Result<Bins> SortedSeries::bins(const BinRequest& request) const {
    const MemorySegment<double, std::vector<double>, std::vector<double>> segment(
        x_, coarse_x_, 0.0, values_, pyramid_);
    const BinSegment* const segments[] = {&segment};
    Result<Bins> bins = query_bins(segments, request);
    if (bins.ok()) {
        bins->outside += without_place_;
    }
    return bins;
}

}  // namespace taffrail::model
