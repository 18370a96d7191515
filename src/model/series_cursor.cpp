#include "model/series_cursor.h"

#include "base/try.h"
#include "model/positions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace taffrail::model {
namespace {

constexpr std::size_t kPiece = 16384;  ///< rows of a page of a sealed file
/// Who takes one point from the end pays for a few.
constexpr std::size_t kFirstPieceBackwards = 512;

LogPlace place_of(const Chunk& chunk, std::size_t row) {
    return {chunk.attempt()[row], chunk.rank()[row], chunk.writer()[row], chunk.seq()[row]};
}

constexpr Columns kPlaceColumns = {Column::Attempt, Column::Rank, Column::Writer, Column::Seq};

/// Rows that stand in order already, taken from either end.
class SeriesCursor final : public ReadCursor {
  public:
    SeriesCursor(SeriesRows series, const ReadRequest& request)
        : series_(std::move(series)),
          request_(request),
          positions_(request.axis.value_or(Axis::Steps), series_.origin_ns),
          needed_(request.columns | (has_range() ? columns_of(range_axis()) : Columns()) |
                  (series_.superseded_from ? Columns{Column::Step, Column::Rank, Column::Attempt}
                                           : Columns())) {
        for (const auto& source : series_.sources) {
            limits_.push_back(limits_of(*source));
        }
        if (backwards()) {
            std::ranges::reverse(series_.sources);
            std::ranges::reverse(limits_);
        }
    }

    Result<std::variant<Chunk, ReadEnd>> next() override {
        // Backwards a chunk is what one piece brings; it grows with what is asked for.
        ChunkBuilder builder(needed_, backwards() ? 2 * kPiece : capacity());
        const std::size_t enough = backwards() ? 1 : Chunk::kMaxRows - kPiece + 1;
        while (at_ < series_.sources.size() && builder.rows() < enough) {
            auto& [first, end] = limits_[at_];
            if (first == end) {
                series_.sources[at_++].reset();
                continue;
            }
            const std::uint64_t count = std::min<std::uint64_t>(
                {backwards() ? piece_ : kPiece, end - first, builder.room()});
            const std::size_t before = builder.rows();
            RowSource& source = *series_.sources[at_];
            if (source.is_found_from_end()) {
                const std::size_t most = std::min(piece_, builder.room());
                end = source.read_before(most, builder, series_.damage) ? end : first;
            } else {
                source.read(backwards() ? end - count : first, count, builder, series_.damage);
                (backwards() ? end : first) = backwards() ? end - count : first + count;
            }
            choose(builder, before);
            if (backwards()) {
                builder.reverse(before);
                piece_ = std::min<std::size_t>(2 * piece_, kPiece);
            }
        }
        if (builder.rows() == 0) {
            return std::variant<Chunk, ReadEnd>(ReadEnd{series_.damage});
        }
        return std::variant<Chunk, ReadEnd>(std::move(builder).finish(request_.columns));
    }

  private:
    [[nodiscard]] bool backwards() const { return request_.direction == Direction::Backwards; }

    [[nodiscard]] std::size_t capacity() const {
        std::uint64_t left = 0;
        for (const auto& [first, end] : limits_) {
            left += end - first;
        }
        return static_cast<std::size_t>(std::min<std::uint64_t>(left, Chunk::kMaxRows));
    }

    [[nodiscard]] bool has_range() const { return request_.from || request_.to; }

    [[nodiscard]] Axis range_axis() const { return request_.axis.value_or(Axis::Steps); }

    /// The rows in range, by bisection where the positions of a source never fall; else all.
    std::pair<std::uint64_t, std::uint64_t> limits_of(RowSource& source) {
        std::pair<std::uint64_t, std::uint64_t> limits{0, source.rows()};
        if (!has_range() || !source.is_rising(range_axis())) {
            return limits;
        }
        const auto bisect = [&](auto is_before) {
            std::uint64_t low = 0, high = source.rows();
            while (low < high) {
                const std::uint64_t middle = low + (high - low) / 2;
                ChunkBuilder one(columns_of(range_axis()), 1);
                std::vector<Damage> unused;
                source.read(middle, 1, one, unused);
                if (one.rows() == 0) {
                    return std::optional<std::uint64_t>();  // lost: look at every row
                }
                (is_before(positions_.at(one, 0)) ? low : high) =
                    is_before(positions_.at(one, 0)) ? middle + 1 : middle;
            }
            return std::optional(low);
        };
        if (request_.from) {
            limits.first =
                bisect([&](double x) { return x < *request_.from; }).value_or(limits.first);
        }
        if (request_.to) {
            limits.second =
                bisect([&](double x) { return x <= *request_.to; }).value_or(limits.second);
        }
        limits.second = std::max(limits.first, limits.second);
        return limits;
    }

    void choose(ChunkBuilder& builder, std::size_t first) {
        const std::size_t rows = builder.rows() - first;
        if (rows == 0 || (!series_.superseded_from && !has_range() && !request_.axis)) {
            return;
        }
        marks_.assign(rows, 1);
        if (series_.superseded_from) {
            mark_superseded(builder, first);
        }
        if (has_range() || needs_place()) {
            for (std::size_t i = 0; i < rows; ++i) {
                const double x = positions_.at(builder, first + i);
                if (!std::isfinite(x) || (request_.from && x < *request_.from) ||
                    (request_.to && x > *request_.to)) {
                    marks_[i] = 0;
                }
            }
        }
        builder.keep(first, marks_);
    }

    /// On other axes every row has a place.
    [[nodiscard]] bool needs_place() const {
        return request_.axis == Axis::Epoch || request_.axis == Axis::Samples;
    }

    void mark_superseded(const ChunkBuilder& builder, std::size_t first) {
        const auto step = builder.values<Step>(Column::Step).subspan(first);
        const auto rank = builder.values<std::int32_t>(Column::Rank).subspan(first);
        const auto attempt = builder.values<std::uint32_t>(Column::Attempt).subspan(first);
        std::optional<Step> from;
        for (std::size_t i = 0; i < step.size(); ++i) {
            if (i == 0 || rank[i] != rank[i - 1] || attempt[i] != attempt[i - 1]) {
                from = series_.superseded_from(rank[i], attempt[i]);
            }
            marks_[i] = !from || step[i] < *from ? 1 : 0;
        }
    }

    SeriesRows series_;
    const ReadRequest request_;
    const Positions positions_;
    const Columns needed_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> limits_;
    std::size_t at_ = 0, piece_ = kFirstPieceBackwards;
    std::vector<std::uint8_t> marks_;
};

/// Rows of chunks in another order.
class GatheredCursor final : public ReadCursor {
  public:
    struct Row {
        std::uint32_t chunk = 0, row = 0;
    };

    GatheredCursor(std::vector<Chunk> chunks, std::vector<Row> order, ReadEnd end, Columns columns)
        : chunks_(std::move(chunks)),
          order_(std::move(order)),
          end_(std::move(end)),
          columns_(columns) {}

    Result<std::variant<Chunk, ReadEnd>> next() override {
        if (at_ == order_.size()) {
            return std::variant<Chunk, ReadEnd>(end_);
        }
        ChunkBuilder builder(columns_, std::min(Chunk::kMaxRows, order_.size() - at_));
        for (; builder.room() > 0; ++at_) {
            builder.add_row(chunks_[order_[at_].chunk], order_[at_].row);
        }
        return std::variant<Chunk, ReadEnd>(std::move(builder).finish(columns_));
    }

  private:
    const std::vector<Chunk> chunks_;
    const std::vector<Row> order_;
    const ReadEnd end_;
    const Columns columns_;
    std::size_t at_ = 0;
};

/// Everything, brought into order first.
class SortingCursor final : public ReadCursor {
  public:
    SortingCursor(SeriesRows series, const ReadRequest& request)
        : series_(std::move(series)), request_(request) {}

    Result<std::variant<Chunk, ReadEnd>> next() override {
        if (sorted_ == nullptr) {
            TAFFRAIL_TRY(sort());
        }
        return sorted_->next();
    }

  private:
    Result<void> sort() {
        const bool by_place = series_.sources.size() > 1;
        const bool may_repeat = series_.may_repeat;
        const std::int64_t origin_ns = series_.origin_ns;
        ReadRequest all = request_;
        all.columns = request_.columns | (by_place ? kPlaceColumns : Columns()) |
                      (request_.axis ? columns_of(*request_.axis) : Columns());
        all.direction = Direction::Forwards;
        SeriesCursor cursor(std::move(series_), all);
        std::vector<Chunk> chunks;
        std::vector<GatheredCursor::Row> order;
        TAFFRAIL_ASSIGN(ReadEnd end, for_each_chunk(cursor, [&](const Chunk& chunk) {
                            for (std::size_t row = 0; row < chunk.rows(); ++row) {
                                order.push_back({static_cast<std::uint32_t>(chunks.size()),
                                                 static_cast<std::uint32_t>(row)});
                            }
                            chunks.push_back(chunk);
                            return Result<void>();
                        }));
        using Row = GatheredCursor::Row;
        if (by_place) {
            const auto place = [&](const Row& row) { return place_of(chunks[row.chunk], row.row); };
            std::ranges::stable_sort(order, {}, place);
            if (may_repeat) {
                const auto doubled = std::ranges::unique(order, {}, place);
                order.erase(doubled.begin(), doubled.end());
            }
        }
        if (request_.axis) {
            const Positions positions(*request_.axis, origin_ns);
            std::ranges::stable_sort(order, {}, [&](const Row& row) {
                return positions.at(chunks[row.chunk], row.row);
            });
        }
        if (request_.direction == Direction::Backwards) {
            std::ranges::reverse(order);
        }
        sorted_ = std::make_unique<GatheredCursor>(std::move(chunks), std::move(order),
                                                   std::move(end), request_.columns);
        return {};
    }

    SeriesRows series_;
    const ReadRequest request_;
    std::unique_ptr<GatheredCursor> sorted_;
};

/// The first and the last row of a source that can be read.
std::optional<std::pair<Chunk, Chunk>> ends_of(RowSource& source, Columns columns) {
    std::vector<Damage> unused;
    ChunkBuilder first(columns, 1), last(columns, 1);
    source.read(0, 1, first, unused);
    source.read(source.rows() - 1, 1, last, unused);
    if (first.rows() == 0 || last.rows() == 0) {
        return std::nullopt;
    }
    return std::pair(std::move(first).finish(columns), std::move(last).finish(columns));
}

std::optional<std::pair<LogPlace, LogPlace>> places_of(RowSource& source) {
    if (const auto known = source.ends()) {
        return known;
    }
    const auto ends = ends_of(source, kPlaceColumns);
    return ends ? std::optional(std::pair(place_of(ends->first, 0), place_of(ends->second, 0)))
                : std::nullopt;
}

bool follow_on_axis(const SeriesRows& series, Axis axis) {
    const Positions positions(axis, series.origin_ns);
    std::optional<double> before;
    for (const auto& source : series.sources) {
        if (!source->is_rising(axis)) {
            return false;
        }
        const auto ends = ends_of(*source, columns_of(axis));
        if (!ends || (before && positions.at(ends->first, 0) < *before)) {
            return false;
        }
        before = positions.at(ends->second, 0);
    }
    return true;
}

}  // namespace

// Writers of one process (a program that forked) stand one behind the other.
bool follow_in_log(const std::vector<std::unique_ptr<RowSource>>& sources) {
    std::optional<LogPlace> before;
    std::vector<std::uint64_t> writers;
    for (const auto& source : sources) {
        const auto ends = places_of(*source);
        if (!ends) {
            return false;
        }
        const auto [first, last] = *ends;
        if (before &&
            (std::pair(before->attempt, before->rank) > std::pair(first.attempt, first.rank) ||
             (before->writer == first.writer && before->seq >= first.seq) ||
             (before->writer != first.writer &&
              std::ranges::find(writers, first.writer) != writers.end()))) {
            return false;
        }
        writers.push_back(first.writer);
        writers.push_back(last.writer);
        before = last;
    }
    return true;
}

Result<void> check(const ReadRequest& request) {
    if (request.axis == Axis::Metric) {
        return Error{ErrorCode::InvalidArgument,
                     "a series cannot be read in the order of another metric: read both and join "
                     "them by step"};
    }
    for (const auto& end : {request.from, request.to}) {
        if (end && !std::isfinite(*end)) {
            return Error{ErrorCode::InvalidArgument,
                         "the range to read has an end that is not finite: leave an open end out"};
        }
    }
    if (request.from && request.to && *request.from > *request.to) {
        return Error{ErrorCode::InvalidArgument, "the range to read runs backwards"};
    }
    return {};
}

std::unique_ptr<ReadCursor> make_cursor(SeriesRows series, const ReadRequest& request) {
    std::erase_if(series.sources, [](const auto& source) { return source->rows() == 0; });
    const bool in_log_order =
        series.sources.size() < 2 || (!series.may_repeat && follow_in_log(series.sources));
    if (!in_log_order || (request.axis && !follow_on_axis(series, *request.axis))) {
        return std::make_unique<SortingCursor>(std::move(series), request);
    }
    return std::make_unique<SeriesCursor>(std::move(series), request);
}

Result<ReadEnd> for_each_chunk(ReadCursor& cursor,
                               const std::function<Result<void>(const Chunk&)>& visit) {
    for (;;) {
        TAFFRAIL_ASSIGN(auto step, cursor.next());
        if (auto* const end = std::get_if<ReadEnd>(&step)) {
            return std::move(*end);
        }
        TAFFRAIL_TRY(visit(std::get<Chunk>(step)));
    }
}

Result<std::vector<Point>> all_points(SeriesRows series) {
    const auto cursor =
        make_cursor(std::move(series), {.columns = Columns::all(), .attempts = Attempts::All});
    std::vector<Point> points;
    TAFFRAIL_TRY(for_each_chunk(*cursor, [&](const Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
            points.push_back(chunk.point(row));
        }
        return Result<void>();
    }));
    return points;
}

}  // namespace taffrail::model
