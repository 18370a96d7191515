// Scalars of a native run: points and bins.
#include "base/try.h"
#include "model/axes.h"
#include "model/bin_query.h"
#include "model/bins.h"
#include "model/series_cursor.h"
#include "store/layout.h"
#include "store/log_end_rows.h"
#include "store/run_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace taffrail::store {
namespace {

constexpr std::size_t kMaxCached = 256;

bool has_points(const LogState& state, std::string_view key) {
    return std::ranges::any_of(state.keys(), [&](const LogState::Key& each) {
        return each.defined && each.kind == Kind::Scalar && each.name == key &&
               each.totals.summary.count > 0;
    });
}

}  // namespace

model::AttemptSteps RunReader::exact_steps(const WriterData& writer, const SeriesPiece& piece) {
    const tlog::FileIdentity& identity = writer.log.identity();
    const auto& step = piece.table->axes->step();
    return {identity.rank, identity.attempt, step.smallest, step.largest};
}

std::vector<RunReader::Piece> RunReader::pieces(std::string_view key) const {
    std::vector<Piece> found;
    for (const WriterData* writer : ordered_writers()) {
        for (const SeriesPiece& piece : writer->tables.pieces(key)) {
            found.push_back({writer, piece});
        }
    }
    return found;
}

model::SeriesRows RunReader::rows(std::string_view key, const std::vector<Piece>& pieces) const {
    model::SeriesRows series;
    for (const Piece& piece : pieces) {
        series.sources.push_back(rows_of(piece.series, piece.writer->log.identity()));
    }
    if (is_sealed(key)) {
        // In doubt the log and the sealed files may both have a row. The first one counts: that of
        // the log, which has every column or is not there.
        std::vector<std::unique_ptr<model::RowSource>> sealed = sealed_->rows(key);
        series.sources.insert(doubt_ ? series.sources.end() : series.sources.begin(),
                              std::make_move_iterator(sealed.begin()),
                              std::make_move_iterator(sealed.end()));
    }
    series.may_repeat = doubt_;
    series.origin_ns = info_.start_time_ns;
    return series;
}

Result<std::vector<Point>> RunReader::collect(std::string_view key,
                                              const std::vector<Piece>& pieces) const {
    return model::all_points(rows(key, pieces));
}

Result<std::unique_ptr<ReadCursor>> RunReader::read(std::string_view key,
                                                    const ReadRequest& request) const {
    TAFFRAIL_TRY(model::check(request));
    return with_second_look([&]() -> Result<std::unique_ptr<ReadCursor>> {
        if (request.direction == Direction::Backwards) {
            TAFFRAIL_ASSIGN(std::unique_ptr<ReadCursor> cursor, read_from_end(key, request));
            if (cursor != nullptr) {
                return cursor;
            }
        }
        TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
        const std::shared_lock lock(mutex_);
        const std::vector<Piece> found = pieces(key);
        if (found.empty() && !is_sealed(key)) {
            return no_such_key(key);
        }
        // Damage that shows half-way could be mended from logs that are still there, so it has to
        // show before. Not backwards: who asks for the end does not want to wait for the rest.
        if (is_sealed(key) && !doubt_ && request.direction == Direction::Forwards &&
            !list_logs(folder_).empty()) {
            sealed_->check_columns(key, request.columns);
        }
        model::SeriesRows series = rows(key, found);
        series.damage = unplaced_damage();
        if (request.attempts == Attempts::Winning) {
            std::vector<model::AttemptSteps> live;
            for (const Piece& piece : found) {
                live.push_back(exact_steps(*piece.writer, piece.series));
            }
            series.superseded_from = model::superseded_by(winning_rule(key, live));
        }
        return model::make_cursor(std::move(series), request);
    });
}

Result<std::unique_ptr<ReadCursor>> RunReader::read_from_end(std::string_view key,
                                                             const ReadRequest& request) const {
    const std::shared_lock lock(mutex_);
    if (depth_ == WriterData::Depth::Everything || doubt_ || request.axis) {
        return std::unique_ptr<ReadCursor>();
    }
    model::SeriesRows series;
    series.origin_ns = info_.start_time_ns;
    if (is_sealed(key)) {
        series.sources = sealed_->rows(key);
    }
    if (sealed_ != nullptr) {
        series.damage = sealed_->left_out();
    }
    add_damage_of_sealed_logs(series.damage);
    std::vector<model::AttemptSteps> live;
    for (const WriterData* writer : ordered_writers()) {
        const std::uint64_t id = writer->log.identity().writer;
        if (writer->log.is_garbage() || !has_points(writer->log.state(), key)) {
            std::ranges::move(writer->log.damage(), std::back_inserter(series.damage));
            continue;
        }
        LogEndRows::Covered covered;
        for (const seal::CoveredLog& log : manifest_.logs) {
            if (log.writer == id) {
                covered[log.file_number] = log.bytes;
            }
        }
        TAFFRAIL_ASSIGN(auto rows,
                        LogEndRows::begin(folder_, id, std::string(key), covered, make_writer(id)));
        if (rows == nullptr) {
            return std::unique_ptr<ReadCursor>();
        }
        if (const auto steps = rows->steps()) {
            live.push_back(*steps);
            series.sources.push_back(std::move(rows));
        }
    }
    if (series.sources.empty() || !model::follow_in_log(series.sources)) {
        return std::unique_ptr<ReadCursor>();
    }
    if (request.attempts == Attempts::Winning) {
        series.superseded_from = model::superseded_by(winning_rule(key, live));
    }
    return model::make_cursor(std::move(series), request);
}

// The rule asks for the smallest step of every attempt, which may be the last thing logged.
model::WinningRule RunReader::winning_rule(std::string_view key,
                                           const std::vector<model::AttemptSteps>& live) const {
    const std::vector<model::AttemptProcess> all = processes();
    const bool one_attempt = std::ranges::all_of(
        all, [&](const auto& each) { return each.attempt == all.front().attempt; });
    if (one_attempt && info_.attempts <= 1) {
        return {all, {}};
    }
    std::vector<model::AttemptSteps> logged = sealed_steps(std::string(key));
    logged.insert(logged.end(), live.begin(), live.end());
    return {all, logged};
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
        logged.push_back(exact_steps(*piece.writer, piece.series));
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
               (request.attempt ? *request.attempt == found[0].writer->log.identity().attempt
                                : !model::may_supersede(
                                      processes(), std::vector{exact_steps(*found[0].writer,
                                                                           found[0].series)}))) {
        return found[0].series.series->bins(request, info_.start_time_ns);
    }
    TAFFRAIL_ASSIGN(const auto series, sorted(key, found, request));
    return series->bins(request);
}

}  // namespace taffrail::store
