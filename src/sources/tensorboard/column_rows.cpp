#include "sources/tensorboard/column_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace taffrail::sources::tensorboard {

ColumnRows::ColumnRows(std::vector<ColumnChunk> chunks) : chunks_(std::move(chunks)) {
    std::erase_if(chunks_, [](const ColumnChunk& chunk) { return chunk.rows == 0; });
    first_row_.push_back(0);
    for (const ColumnChunk& chunk : chunks_) {
        first_row_.push_back(first_row_.back() + chunk.rows);
    }
}

bool ColumnRows::is_rising(Axis axis) const {
    const bool steps = axis == Axis::Steps;
    if (!steps && axis != Axis::WallTime && axis != Axis::RelativeTime) {
        return false;  // event files have no epochs and no samples
    }
    std::int64_t before = std::numeric_limits<std::int64_t>::min();
    for (const ColumnChunk& chunk : chunks_) {
        for (ColumnChunk::Points points(chunk); points.more();) {
            const ColumnPoint& point = points.next();
            const std::int64_t now = steps ? point.step : to_time_ns(point.wall_time);
            if (now < std::exchange(before, now)) {
                return false;
            }
        }
    }
    return true;
}

void ColumnRows::go_to(std::uint64_t row) {
    const auto behind = std::ranges::upper_bound(first_row_, row);
    chunk_ = static_cast<std::size_t>(behind - first_row_.begin()) - 1;
    points_.emplace(chunks_[chunk_]);
    for (row_ = first_row_[chunk_]; row_ < row; ++row_) {
        points_->next();
    }
}

const ColumnPoint& ColumnRows::next() {
    if (!points_->more()) {
        points_.emplace(chunks_[++chunk_]);
    }
    ++row_;
    return points_->next();
}

void ColumnRows::read(std::uint64_t first, std::uint64_t count, model::ChunkBuilder& to,
                      std::vector<Damage>& /*damage*/) {
    if (count == 0) {
        return;
    }
    if (!points_ || row_ != first) {
        go_to(first);
    }
    const auto step = to.next<std::int64_t>(Column::Step);
    const auto time_ns = to.next<std::int64_t>(Column::Time);
    const auto value = to.next<double>(Column::Value);
    const auto attempt = to.next<std::uint32_t>(Column::Attempt);
    const auto writer = to.next<std::uint64_t>(Column::Writer);
    const auto seq = to.next<std::uint64_t>(Column::Seq);
    const auto put = [](const auto& column, std::size_t row, auto what) {
        if (!column.empty()) {
            column[row] = what;
        }
    };
    for (std::size_t row = 0; row < count; ++row) {
        const std::uint64_t number = row_;
        const ColumnPoint& point = next();
        put(step, row, point.step);
        put(value, row, point.value);
        put(attempt, row, point.attempt);
        put(writer, row, std::uint64_t{point.file});
        put(seq, row, number);
        if (!time_ns.empty()) {
            time_ns[row] = to_time_ns(point.wall_time);
        }
    }
    const Point absent;
    const auto fill = [&]<typename T>(Column column, T what) {
        const std::span<T> room = to.next<T>(column);
        std::ranges::fill(room.first(room.empty() ? 0 : static_cast<std::size_t>(count)), what);
    };
    fill(Column::Epoch, absent.epoch);
    fill(Column::Samples, absent.samples);
    fill(Column::Rank, absent.rank);
    fill(Column::Phase, absent.phase);
    to.grow(static_cast<std::size_t>(count));
}

}  // namespace taffrail::sources::tensorboard
