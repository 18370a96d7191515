// Scalars of a native run: points and bins.
#include "base/try.h"
#include "model/axes.h"
#include "model/bin_query.h"
#include "model/bins.h"
#include "store/run_reader.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::storage {
namespace {

constexpr std::size_t kMaxCached = 256;

Point point_at(const WriterData& writer, const SeriesPiece& piece, std::size_t row) {
    const model::AxisTable& axes = *piece.table->axes;
    const tlog::FileIdentity& identity = writer.log.identity();
    Point point;
    point.step = axes.step().values[row];
    point.time_ns = axes.time().values[row];
    point.value = piece.series->values()[row];
    if (!axes.epoch().values.empty()) {
        point.epoch = axes.epoch().values[row];
    }
    if (!axes.samples().values.empty()) {
        point.samples = axes.samples().values[row];
    }
    point.attempt = identity.attempt;
    point.rank = identity.rank;
    point.phase = static_cast<Phase>(piece.table->phase.at(row));
    point.writer = identity.writer;
    point.seq = piece.table->seq[row];
    return point;
}

}  // namespace

std::vector<RunReader::Piece> RunReader::pieces(std::string_view key) const {
    std::vector<Piece> found;
    for (const WriterData* writer : ordered_writers()) {
        for (const SeriesPiece& piece : writer->tables.pieces(key)) {
            found.push_back({writer, piece});
        }
    }
    return found;
}

Result<std::vector<Point>> RunReader::collect(std::string_view key,
                                              const std::vector<Piece>& pieces) const {
    std::vector<Point> points;
    bool sorted = true;
    if (is_sealed(key)) {
        TAFFRAIL_ASSIGN(points, sealed_->points(key));
        sorted = pieces.empty();
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        sorted &= i == 0 || pieces[i].writer != pieces[i - 1].writer;
        for (std::size_t row = 0; row < pieces[i].series.series->points(); ++row) {
            points.push_back(point_at(*pieces[i].writer, pieces[i].series, row));
        }
    }
    const auto place = [](const Point& point) {
        return std::tuple(point.attempt, point.rank, point.writer, point.seq);
    };
    if (!sorted) {  // one key in several places: back into the order of the log
        std::ranges::stable_sort(points, {}, place);
    }
    if (doubt_) {  // the log and the sealed files may both have a row
        const auto doubled = std::ranges::unique(points, {}, place);
        points.erase(doubled.begin(), doubled.end());
    }
    return points;
}

Result<std::vector<Point>> RunReader::points(std::string_view key) const {
    return with_second_look([&]() -> Result<std::vector<Point>> {
        TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
        const std::shared_lock lock(mutex_);
        const std::vector<Piece> found = pieces(key);
        if (found.empty() && !is_sealed(key)) {
            return no_such_key(key);
        }
        return collect(key, found);
    });
}

// Whatever is not plain (a live tail, files that were replaced under the reader, damage) is left to
// points().
std::optional<Curve> RunReader::curve(std::string_view key, Axis axis) const {
    if (!ensure(WriterData::Depth::Everything).ok()) {
        return std::nullopt;
    }
    const std::shared_lock lock(mutex_);
    if (doubt_ || !is_sealed(key) || !pieces(key).empty()) {
        return std::nullopt;
    }
    return sealed_->curve(key, axis, info_.start_time_ns);
}

std::vector<ResumePoint> RunReader::resume_points() const {
    std::vector<ResumePoint> resumes;
    for (const auto& [id, writer] : writers_) {
        const tlog::FileIdentity& identity = writer->log.identity();
        if (identity.resume_step != INT64_MIN) {
            resumes.push_back({identity.rank, identity.attempt, identity.resume_step});
        }
    }
    return resumes;
}

// Several writers, several attempts, or another metric as x: the points are sorted once and kept
// until the run grows.
Result<std::shared_ptr<const model::SortedSeries>> RunReader::sorted(
    std::string_view key, const std::vector<Piece>& pieces_of_key,
    const BinRequest& request) const {
    const std::string name =
        fmt::format("{}\n{}\n{}\n{}", key, static_cast<int>(request.axis), request.metric,
                    request.attempt ? std::to_string(*request.attempt) : std::string("-"));
    {
        const std::scoped_lock lock(cache_mutex_);
        const auto found = cache_.find(name);
        if (found != cache_.end() && found->second.revision == revision_) {
            return found->second.series;
        }
    }
    auto wanted = [&](std::vector<Point> points) {
        if (request.attempt) {
            std::erase_if(points,
                          [&](const Point& point) { return point.attempt != *request.attempt; });
            return points;
        }
        return winning_points(std::move(points), resume_points());
    };
    TAFFRAIL_ASSIGN(std::vector<Point> all, collect(key, pieces_of_key));
    const std::vector<Point> points = wanted(std::move(all));
    std::vector<double> x;
    if (request.axis == Axis::Metric) {
        const std::vector<Piece> metric = pieces(request.metric);
        if (metric.empty() && !is_sealed(request.metric)) {
            return no_such_key(request.metric);
        }
        TAFFRAIL_ASSIGN(const std::vector<Point> other, collect(request.metric, metric));
        x = model::metric_positions(points, other);
    } else {
        x.reserve(points.size());
        for (const Point& point : points) {
            x.push_back(model::position_of(point, request.axis, info_.start_time_ns));
        }
    }
    std::vector<double> values;
    values.reserve(points.size());
    for (const Point& point : points) {
        values.push_back(point.value);
    }
    auto series = std::make_shared<const model::SortedSeries>(x, values);
    const std::scoped_lock lock(cache_mutex_);
    if (cache_.size() >= kMaxCached) {
        cache_.clear();
    }
    cache_[name] = {revision_, series};
    return series;
}

// Sealed files, then the live tail: each stretch answers for itself as long as none reaches back
// into another.
Result<std::optional<Bins>> RunReader::bins_by_segments(std::string_view key,
                                                        const std::vector<Piece>& pieces,
                                                        const BinRequest& request) const {
    if (pieces.size() > 1 || request.axis == Axis::Metric || (!pieces.empty() && request.attempt)) {
        return std::optional<Bins>();
    }
    const auto sealed = sealed_->segments(key, request.axis, info_.start_time_ns, request.attempt);
    const auto live = pieces.empty()
                          ? nullptr
                          : pieces[0].series.series->segment(request.axis, info_.start_time_ns);
    if (!sealed || (!pieces.empty() && live == nullptr)) {
        return std::optional<Bins>();
    }
    std::vector<const model::BinSegment*> segments;
    for (const auto& segment : *sealed) {
        segments.push_back(segment.get());
    }
    if (live != nullptr && live->points() > 0) {
        if (!segments.empty() && live->first_x() < segments.back()->last_x()) {
            return std::optional<Bins>();
        }
        segments.push_back(live.get());
    }
    TAFFRAIL_ASSIGN(Bins bins, model::query_bins(segments, request));
    return std::optional<Bins>(std::move(bins));
}

Result<Bins> RunReader::bins(std::string_view key, const BinRequest& request) const {
    return with_second_look([&] { return locked_bins(key, request); });
}

Result<Bins> RunReader::locked_bins(std::string_view key, const BinRequest& request) const {
    TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
    const std::shared_lock lock(mutex_);
    const std::vector<Piece> found = pieces(key);
    if (is_sealed(key)) {
        if (found.empty()) {
            return sealed_->bins(key, request, info_.start_time_ns);
        }
        if (!doubt_) {
            TAFFRAIL_ASSIGN(std::optional<Bins> bins, bins_by_segments(key, found, request));
            if (bins) {
                return *std::move(bins);
            }
        }
    } else if (found.empty()) {
        return no_such_key(key);
    } else if (found.size() == 1 && request.axis != Axis::Metric &&
               (!request.attempt || *request.attempt == found[0].writer->log.identity().attempt)) {
        return found[0].series.series->bins(request, info_.start_time_ns);
    }
    TAFFRAIL_ASSIGN(const auto series, sorted(key, found, request));
    return series->bins(request);
}

}  // namespace taffrail::storage
