// The points of a tag as rows for a cursor, unpacked as they are asked for.
#pragma once

#include "model/row_source.h"
#include "sources/tensorboard/column.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace taffrail::sources::tensorboard {

class ColumnRows final : public model::RowSource {
  public:
    explicit ColumnRows(std::vector<ColumnChunk> chunks);

    [[nodiscard]] std::uint64_t rows() const override { return first_row_.back(); }

    [[nodiscard]] bool is_rising(Axis axis) const override;
    /// Costs the rows asked for, and where they do not follow those read last, at most a chunk (32
    /// KiB) more.
    void read(std::uint64_t first, std::uint64_t count, model::ChunkBuilder& to,
              std::vector<Damage>& damage) override;

  private:
    void go_to(std::uint64_t row);
    const ColumnPoint& next();

    std::vector<ColumnChunk> chunks_;
    std::vector<std::uint64_t> first_row_;  ///< of each chunk, and the end
    std::size_t chunk_ = 0;                 ///< where `points_` is
    std::uint64_t row_ = 0;                 ///< of the next point
    std::optional<ColumnChunk::Points> points_;
};

}  // namespace taffrail::sources::tensorboard
