// Scalars of a native run: points and bins.
#include "base/try.h"
#include "model/axes.h"
#include "model/bin_query.h"
#include "model/bins.h"
#include "store/layout.h"
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

// Where steps fall somewhere all may be in the range: it only decides whether points are looked at.
model::AttemptSteps steps_of(const WriterData& writer, const SeriesPiece& piece) {
    const tlog::FileIdentity& identity = writer.log.identity();
    const auto& step = piece.table->axes->step();
    model::AttemptSteps steps{identity.rank, identity.attempt, INT64_MIN, INT64_MAX};
    if (step.rising && !step.values.empty()) {
        steps.first_step = step.values.front();
        steps.last_step = step.values[piece.series->points() - 1];
    }
    return steps;
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

// Sealed series come page by page. Live ones are taken out of memory where the run is small, and
// out of the logs, which are read once more, where it is not: an export of any length needs little.
Result<void> RunReader::visit_all_points(
    std::string_view key, const std::function<Result<void>(std::span<const Point>)>& visit) const {
    constexpr std::uint64_t kSmallRun = 200'000;
    constexpr std::size_t kPiece = 65536;
    std::uint64_t live_points = 0, live_points_of_key = 0;
    std::shared_ptr<const seal::SealedRun> sealed;
    {
        const std::shared_lock lock(mutex_);
        sealed = doubt_ || !is_sealed(key) ? nullptr : sealed_;
        for (const auto& [id, writer] : writers_) {
            for (const LogState::Key& each : writer->log.state().keys()) {
                if (each.defined && each.kind == Kind::Scalar) {
                    live_points += each.totals.summary.count;
                    live_points_of_key += each.name == key ? each.totals.summary.count : 0;
                }
            }
        }
    }
    if (sealed != nullptr && live_points_of_key == 0) {
        if (list_logs(folder_).empty()) {
            return sealed->visit_points(key, visit);
        }
        // Damage that shows half-way is mended from the logs, so it has to show before.
        const auto nothing = [](std::span<const Point>) -> Result<void> { return {}; };
        TAFFRAIL_TRY(sealed->visit_points(key, nothing));
        if (!met_damage()) {
            return sealed->visit_points(key, visit);
        }
        doubt_sealed();
    }
    if (live_points <= kSmallRun) {
        TAFFRAIL_ASSIGN(const std::vector<Point> all, points(key));
        return visit(all);
    }
    std::vector<Point> piece;
    Result<void> status;
    TAFFRAIL_TRY(for_each([&](const Record& record) {
        if (record.kind == Kind::Scalar && record.key == key) {
            Point& point = piece.emplace_back();
            point.step = record.step;
            point.time_ns = record.time_ns;
            point.value = record.scalar;
            point.epoch = record.epoch.value_or(point.epoch);
            point.samples = record.samples.value_or(point.samples);
            point.attempt = record.attempt;
            point.rank = record.rank;
            point.phase = record.phase;
            point.writer = record.writer;
            point.seq = record.seq;
            if (piece.size() == kPiece) {
                status = visit(piece);
                piece.clear();
            }
        }
        return status.ok();
    }));
    TAFFRAIL_TRY(status);
    return visit(piece);
}

Result<void> RunReader::visit_points(
    std::string_view key, Attempts attempts,
    const std::function<Result<void>(std::span<const Point>)>& visit) const {
    std::vector<model::AttemptProcess> all;
    {
        const std::shared_lock lock(mutex_);
        all = processes();
    }
    const bool one_attempt = std::ranges::all_of(
        all, [&](const auto& each) { return each.attempt == all.front().attempt; });
    if (attempts == Attempts::All || (one_attempt && info().attempts <= 1)) {
        return visit_all_points(key, visit);
    }
    // The rule asks for the smallest step of every attempt, which may be the last thing logged.
    std::vector<model::AttemptSteps> logged;
    TAFFRAIL_TRY(visit_all_points(key, [&](std::span<const Point> some) -> Result<void> {
        for (const Point& point : some) {
            model::take_step(logged, point);
        }
        return {};
    }));
    const model::WinningRule rule(all, logged);
    std::vector<Point> kept;
    return visit_all_points(key, [&](std::span<const Point> some) -> Result<void> {
        if (rule.all_win()) {
            return visit(some);
        }
        kept.clear();
        std::ranges::copy_if(some, std::back_inserter(kept),
                             [&](const Point& point) { return rule.wins(point); });
        return kept.empty() ? Result<void>() : visit(kept);
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
    return sealed_->curve(key, axis, info_.start_time_ns, processes());
}

std::vector<model::AttemptProcess> RunReader::processes() const {
    std::vector<model::AttemptProcess> all;
    for (const auto& [id, writer] : writers_) {
        if (!writer->log.is_garbage()) {
            const tlog::FileIdentity& identity = writer->log.identity();
            all.push_back({identity.rank, identity.attempt,
                           identity.resume_step != INT64_MIN ? std::optional(identity.resume_step)
                                                             : std::nullopt});
        }
    }
    return all;
}

std::vector<bool> RunReader::superseded(std::span<const Point> points) const {
    const std::shared_lock lock(mutex_);
    return model::superseded(processes(), points);
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
    TAFFRAIL_ASSIGN(std::vector<Point> all, collect(key, pieces_of_key));
    const std::vector<Point> points =
        model::choose_attempt(std::move(all), processes(), request.attempt);
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
    std::vector<model::AttemptSteps> logged = sealed_->attempt_steps(key);
    for (const Piece& piece : pieces) {
        logged.push_back(steps_of(*piece.writer, piece.series));
    }
    if (!request.attempt && model::may_supersede(processes(), logged)) {
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
            return sealed_->bins(key, request, info_.start_time_ns, processes());
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
               (request.attempt
                    ? *request.attempt == found[0].writer->log.identity().attempt
                    : !model::may_supersede(
                          processes(), std::vector{steps_of(*found[0].writer, found[0].series)}))) {
        return found[0].series.series->bins(request, info_.start_time_ns);
    }
    TAFFRAIL_ASSIGN(const auto series, sorted(key, found, request));
    return series->bins(request);
}

}  // namespace taffrail::storage
