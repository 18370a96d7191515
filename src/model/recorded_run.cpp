// What every source can do in terms of its other answers.
#include <taffrail/reader.h>

#include "base/try.h"
#include "model/series_cursor.h"

#include <algorithm>

namespace taffrail {

Result<void> RecordedRun::visit_points(
    std::string_view key, Attempts attempts,
    const std::function<Result<void>(std::span<const Point>)>& visit, Columns columns) const {
    ReadRequest request;
    request.columns = columns;
    request.attempts = attempts;
    TAFFRAIL_ASSIGN(const std::unique_ptr<ReadCursor> cursor, read(key, request));
    std::vector<Point> points;
    TAFFRAIL_TRY(model::for_each_chunk(*cursor, [&](const Chunk& chunk) {
        points.clear();
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
            points.push_back(chunk.point(row));
        }
        return visit(points);
    }));
    return {};
}

Result<std::vector<Point>> RecordedRun::points(std::string_view key) const {
    std::vector<Point> all;
    TAFFRAIL_TRY(visit_points(key, Attempts::All, [&all](std::span<const Point> some) {
        all.insert(all.end(), some.begin(), some.end());
        return Result<void>();
    }));
    return all;
}

Result<std::vector<std::byte>> RecordedRun::load_range(const BlobRef& blob, std::uint64_t offset,
                                                       std::uint64_t length) const {
    TAFFRAIL_ASSIGN(const auto bytes, load(blob));
    const std::size_t first =
        static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes->size()));
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(length, bytes->size() - first));
    const auto begin = bytes->begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

}  // namespace taffrail
