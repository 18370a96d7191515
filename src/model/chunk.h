// How chunks are made: memory as Arrow wants it, filled row by row or column by column, then given
// away for good.
#pragma once

#include <taffrail/read.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace taffrail {

/// What a chunk owns.
struct ChunkBuffers {
    struct Free {
        void operator()(std::byte* memory) const noexcept;
    };

    using Memory = std::unique_ptr<std::byte[], Free>;  ///< aligned to 64 bytes

    struct OneColumn {
        Memory data, validity;  ///< no validity: every row has a value
        std::size_t nulls = 0;
    };

    std::size_t rows = 0;
    Columns columns;
    std::array<OneColumn, kColumnKinds> of;
};

}  // namespace taffrail

namespace taffrail::model {

[[nodiscard]] std::size_t bytes_of(Column column) noexcept;

/// A chunk in the making: rows are added at the end, some of them taken out again.
class ChunkBuilder {
  public:
    ChunkBuilder(Columns columns, std::size_t capacity);

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

    [[nodiscard]] std::size_t room() const noexcept { return capacity_ - rows_; }

    [[nodiscard]] Columns columns() const noexcept { return columns_; }

    /// Where the values of the next rows go, as many as there is room; empty when the column is not
    /// wanted.
    template <typename T>
    [[nodiscard]] std::span<T> next(Column column) noexcept {
        std::byte* const at = buffer(column);
        return {reinterpret_cast<T*>(at) + (at != nullptr ? rows_ : 0), at != nullptr ? room() : 0};
    }

    /// The rows so far; empty when the column is not wanted.
    template <typename T>
    [[nodiscard]] std::span<const T> values(Column column) const noexcept {
        const std::byte* const at = const_cast<ChunkBuilder*>(this)->buffer(column);
        return {reinterpret_cast<const T*>(at), at != nullptr ? rows_ : 0};
    }

    /// The next `rows` rows are filled. Absent epochs and samples are NaN and INT64_MIN.
    void grow(std::size_t rows) noexcept { rows_ += rows; }

    /// Leaves out the rows from `first` on whose mark is 0.
    void keep(std::size_t first, std::span<const std::uint8_t> marks);
    /// The rows from `first` on, the last one first.
    void reverse(std::size_t first);
    /// Adds a row of a finished chunk that has all the columns.
    void add_row(const Chunk& from, std::size_t row);

    /// With the columns that were asked for; the builder is used up.
    [[nodiscard]] Chunk finish(Columns wanted) &&;

  private:
    [[nodiscard]] std::byte* buffer(Column column) noexcept {
        return buffers_[static_cast<std::size_t>(column)].get();
    }

    template <typename Visit>
    void for_columns(Visit visit);

    Columns columns_;
    std::size_t capacity_ = 0, rows_ = 0;
    std::array<ChunkBuffers::Memory, kColumnKinds> buffers_;
};

}  // namespace taffrail::model
