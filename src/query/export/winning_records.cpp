#include "query/export/winning_records.h"

#include "base/try.h"

#include <algorithm>
#include <span>

namespace taffrail::query {

Result<WinningRecords> WinningRecords::of(const RecordedRun& run) {
    WinningRecords winners;
    winners.all_win_ = run.info().attempts <= 1;
    if (winners.all_win_) {
        return winners;
    }
    for (const KeyInfo& key : run.keys()) {
        if (key.kind != Kind::Scalar) {
            continue;
        }
        auto& last = winners.last_[key.key];
        // A later attempt takes everything from some step on, so the last winner tells of all.
        const auto note = [&](std::span<const Point> points) -> Result<void> {
            for (const Point& point : points) {
                const auto [at, fresh] = last.try_emplace({point.rank, point.attempt}, point.step);
                at->second = std::max(at->second, point.step);
            }
            return {};
        };
        const auto visited = run.visit_points(key.key, Attempts::Winning, note,
                                              {Column::Step, Column::Rank, Column::Attempt});
        if (!visited.ok() && visited.error().code != ErrorCode::NotFound) {
            return visited.error();
        }
    }
    return winners;
}

bool WinningRecords::wins(const Record& record) const {
    if (all_win_ || record.kind != Kind::Scalar) {
        return true;
    }
    const auto series = last_.find(record.key);
    if (series == last_.end()) {
        return true;
    }
    const auto last = series->second.find({record.rank, record.attempt});
    return last != series->second.end() && record.step <= last->second;
}

}  // namespace taffrail::query
