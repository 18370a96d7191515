// Where the rows of a chunk lie on an axis.
#pragma once

#include <taffrail/read.h>

#include "model/axes.h"
#include "model/chunk.h"

#include <cmath>
#include <cstdint>
#include <span>

namespace taffrail::model {

/// The column that positions on an axis come from.
inline Columns columns_of(Axis axis) {
    switch (axis) {
        case Axis::WallTime:
        case Axis::RelativeTime:
            return {Column::Time};
        case Axis::Epoch:
            return {Column::Epoch};
        case Axis::Samples:
            return {Column::Samples};
        default:
            return {Column::Step};
    }
}

/// Positions of the rows of a builder or a chunk on an axis, NaN where they have none. Not for
/// Axis::Metric.
class Positions {
  public:
    Positions(Axis axis, std::int64_t origin_ns) : axis_(axis), origin_ns_(origin_ns) {}

    template <typename Rows>
    [[nodiscard]] double at(const Rows& rows, std::size_t row) const {
        switch (axis_) {
            case Axis::WallTime:
                return static_cast<double>(integers(rows, Column::Time)[row]);
            case Axis::RelativeTime:
                return difference(integers(rows, Column::Time)[row], origin_ns_);
            case Axis::Epoch:
                return numbers(rows)[row];
            case Axis::Samples: {
                const std::int64_t samples = integers(rows, Column::Samples)[row];
                return samples == INT64_MIN ? std::nan("") : static_cast<double>(samples);
            }
            default:
                return static_cast<double>(integers(rows, Column::Step)[row]);
        }
    }

    /// All of a chunk, times `unit`.
    void fill(const Chunk& rows, double unit, std::span<double> to) const {
        if (axis_ == Axis::Steps || axis_ == Axis::WallTime) {
            const auto from = integers(rows, axis_ == Axis::Steps ? Column::Step : Column::Time);
            for (std::size_t row = 0; row < to.size(); ++row) {
                to[row] = static_cast<double>(from[row]) * unit;
            }
            return;
        }
        for (std::size_t row = 0; row < to.size(); ++row) {
            to[row] = at(rows, row) * unit;
        }
    }

  private:
    static std::span<const std::int64_t> integers(const ChunkBuilder& rows, Column column) {
        return rows.values<std::int64_t>(column);
    }

    static std::span<const std::int64_t> integers(const Chunk& rows, Column column) {
        return {static_cast<const std::int64_t*>(rows.data(column)), rows.rows()};
    }

    static std::span<const double> numbers(const ChunkBuilder& rows) {
        return rows.values<double>(Column::Epoch);
    }

    static std::span<const double> numbers(const Chunk& rows) { return rows.epoch(); }

    Axis axis_;
    std::int64_t origin_ns_;
};

}  // namespace taffrail::model
