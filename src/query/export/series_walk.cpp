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

Result<std::vector<Point>> exported_points(const RunSet& runs, const RunDetails& details,
                                           const std::string& key, const ExportQuestion& question) {
    TAFFRAIL_ASSIGN(const auto run, runs.run(details.id));
    const auto& x = question.x;
    const auto wanted = [&](const Point& point) {
        if (!x || (!x->from && !x->to)) {
            return true;
        }
        const double at = position_of(point, x->axis, details.info.start_time_ns);
        return (!x->from || at >= *x->from) && (!x->to || at <= *x->to);
    };
    std::vector<Point> points;
    const auto visited =
        run->visit_points(key, question.attempts, [&](std::span<const Point> some) -> Result<void> {
            std::ranges::copy_if(some, std::back_inserter(points), wanted);
            return {};
        });
    if (!visited.ok() && visited.error().code != ErrorCode::NotFound) {  // not every run has it
        return visited.error();
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
        if (key_ < keys_.size()) {
            TAFFRAIL_ASSIGN(points_, exported_points(runs_, *details_, keys_[key_++], question_));
            at_ = 0;
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
