// What every source can do in terms of its other answers.
#include <taffrail/reader.h>

#include "base/try.h"
#include "model/attempts.h"

namespace taffrail {

Result<void> RecordedRun::visit_points(
    std::string_view key, Attempts attempts,
    const std::function<Result<void>(std::span<const Point>)>& visit) const {
    TAFFRAIL_ASSIGN(std::vector<Point> all, points(key));
    if (attempts == Attempts::Winning) {
        const std::vector<bool> flags = superseded(all);
        all = model::without_flagged(std::move(all), flags);
    }
    return visit(all);
}

}  // namespace taffrail
