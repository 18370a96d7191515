#include "query/export/series_walk.h"

#include "base/try.h"
#include "query/chart/series_points.h"

#include <algorithm>

namespace taffrail::query {

std::vector<std::string> exported_keys(const RunDetails& run, const ExportQuestion& question) {
    if (!question.keys.empty()) {
        return question.keys;
    }
    std::vector<std::string> keys;
    for (const KeyInfo& key : run.keys) {
        if (key.kind == Kind::Scalar) {
            keys.push_back(key.key);
        }
    }
    return keys;
}

namespace {

bool is_exported(const RunDetails& details, const ExportQuestion& question, const Point& point) {
    const auto& x = question.x;
    if (!x || (!x->from && !x->to)) {
        return true;
    }
    const double at = position_of(point, x->axis, details.info.start_time_ns);
    return (!x->from || at >= *x->from) && (!x->to || at <= *x->to);
}

/// Null where the run has no such series: not every run has every one.
Result<std::unique_ptr<ReadCursor>> read_series(const RunSet& runs, const RunDetails& details,
                                                const std::string& key,
                                                const ExportQuestion& question) {
    TAFFRAIL_ASSIGN(const auto run, runs.run(details.id));
    ReadRequest request;
    request.columns = Columns::all();
    request.attempts = question.attempts;
    auto cursor = run->read(key, request);
    if (!cursor.ok() && cursor.error().code == ErrorCode::NotFound) {
        return std::unique_ptr<ReadCursor>();
    }
    return cursor;
}

/// The points of the next chunk that are wanted; false at the end.
Result<bool> take_chunk(ReadCursor& cursor, const RunDetails& details,
                        const ExportQuestion& question, std::vector<Point>& to) {
    TAFFRAIL_ASSIGN(const auto step, cursor.next());
    const Chunk* const chunk = std::get_if<Chunk>(&step);
    for (std::size_t row = 0; chunk != nullptr && row < chunk->rows(); ++row) {
        if (const Point point = chunk->point(row); is_exported(details, question, point)) {
            to.push_back(point);
        }
    }
    return chunk != nullptr;
}

}  // namespace

Result<std::vector<Point>> exported_points(const RunSet& runs, const RunDetails& details,
                                           const std::string& key, const ExportQuestion& question) {
    std::vector<Point> points;
    TAFFRAIL_ASSIGN(const auto cursor, read_series(runs, details, key, question));
    for (bool more = cursor != nullptr; more;) {
        TAFFRAIL_ASSIGN(more, take_chunk(*cursor, details, question, points));
    }
    return points;
}

Result<void> expect_whole(const RunSet& runs, const ExportQuestion& question,
                          const std::string& run) {
    if (std::ranges::find(question.damaged, run) != question.damaged.end()) {
        return {};
    }
    TAFFRAIL_ASSIGN(const auto opened, runs.run(run));
    return opened->damage().empty()
               ? Result<void>()
               : Error{ErrorCode::Corrupt,
                       "run '" + run + "' is damaged; prepare the export again"};
}

Result<std::shared_ptr<const RunDetails>> exported_run(const RunSet& runs, const std::string& id) {
    auto details = runs.details(id);
    if (details == nullptr) {
        return Error{ErrorCode::NotFound, "no run '" + id + "'"};
    }
    return details;
}

Result<std::optional<SeriesWalk::Slice>> SeriesWalk::next() {
    while (at_ == points_.size()) {
        if (cursor_ != nullptr) {
            points_.clear();
            at_ = 0;
            TAFFRAIL_ASSIGN(const bool more, take_chunk(*cursor_, *details_, question_, points_));
            if (!more) {
                cursor_.reset();
            }
            continue;
        }
        if (key_ < keys_.size()) {
            TAFFRAIL_ASSIGN(cursor_, read_series(runs_, *details_, keys_[key_++], question_));
            continue;
        }
        if (details_ != nullptr) {
            TAFFRAIL_TRY(expect_whole(runs_, question_, details_->id));
        }
        if (run_ == question_.runs.size()) {
            details_ = nullptr;
            return std::optional<Slice>();
        }
        TAFFRAIL_ASSIGN(details_, exported_run(runs_, question_.runs[run_++]));
        keys_ = exported_keys(*details_, question_);
        key_ = 0;
    }
    const std::size_t count = std::min(slice_, points_.size() - at_);
    at_ += count;
    return std::optional(Slice{*details_, keys_[key_ - 1],
                               std::span<const Point>(points_).subspan(at_ - count, count)});
}

}  // namespace taffrail::query
