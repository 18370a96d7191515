// The one cursor there is: rows of several sources in the order, range and choice of attempts that
// a request asks for.
#pragma once

#include <taffrail/read.h>

#include "model/row_source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace taffrail::model {

/// A series as a reader knows it.
struct SeriesRows {
    /// In log order, if they do not overlap.
    std::vector<std::unique_ptr<RowSource>> sources = {};
    /// Several sources may hold the same row (a log and what was sealed of it): each counts once.
    bool may_repeat = false;
    /// From which step on the rows of a process do not count (model::WinningRule). Empty: all do.
    std::function<std::optional<Step>(std::int32_t rank, std::uint32_t attempt)> superseded_from =
        {};
    std::int64_t origin_ns = 0;       ///< the zero of Axis::RelativeTime
    std::vector<Damage> damage = {};  ///< what may have held rows of the series and is lost
};

/// Refuses an axis that is a metric and a range that is none.
Result<void> check(const ReadRequest& request);

/// Whether rows stand in log order from source to source, as rows that are found from their end
/// have to.
bool follow_in_log(const std::vector<std::unique_ptr<RowSource>>& sources);

/// `request` passed check().
std::unique_ptr<ReadCursor> make_cursor(SeriesRows series, const ReadRequest& request);

/// Takes every chunk of a cursor. Stops at the first error of `visit`.
Result<ReadEnd> for_each_chunk(ReadCursor& cursor,
                               const std::function<Result<void>(const Chunk&)>& visit);

/// Every point, of all attempts, in log order. Damage is left to those who ask for it.
Result<std::vector<Point>> all_points(SeriesRows series);

}  // namespace taffrail::model
