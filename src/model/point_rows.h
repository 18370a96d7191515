// Points in memory as rows for a cursor: for sources that keep a form of their own.
#pragma once

#include "model/axes.h"
#include "model/row_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace taffrail::model {

/// At the end of `to`, which has room for them.
inline void add_points(ChunkBuilder& to, std::span<const Point> points) {
    const auto copy = [&]<typename T>(Column column, T Point::* member) {
        if (const std::span<T> room = to.next<T>(column); !room.empty()) {
            std::ranges::transform(points, room.begin(), member);
        }
    };
    copy(Column::Step, &Point::step);
    copy(Column::Time, &Point::time_ns);
    copy(Column::Value, &Point::value);
    copy(Column::Epoch, &Point::epoch);
    copy(Column::Samples, &Point::samples);
    copy(Column::Rank, &Point::rank);
    copy(Column::Attempt, &Point::attempt);
    copy(Column::Phase, &Point::phase);
    copy(Column::Writer, &Point::writer);
    copy(Column::Seq, &Point::seq);
    to.grow(points.size());
}

class PointRows final : public RowSource {
  public:
    /// In log order.
    explicit PointRows(std::vector<Point> points) : points_(std::move(points)) {}

    [[nodiscard]] std::uint64_t rows() const override { return points_.size(); }

    [[nodiscard]] bool is_rising(Axis axis) const override {
        double before = -std::numeric_limits<double>::infinity();
        return std::ranges::all_of(points_, [&](const Point& point) {
            const double x = position_of(point, axis, 0);
            return std::isfinite(x) && x >= std::exchange(before, x);
        });
    }

    void read(std::uint64_t first, std::uint64_t count, ChunkBuilder& to,
              std::vector<Damage>& /*damage*/) override {
        const std::span<const Point> some = std::span<const Point>(points_).subspan(
            static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        add_points(to, some);
    }

  private:
    const std::vector<Point> points_;
};

}  // namespace taffrail::model
