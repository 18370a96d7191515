// A batch without the rows that were seen before: what is left after a file was copied, repeated or
// adopted twice.
#pragma once

#include "codec/tlog/batch.h"
#include "store/row_set.h"

#include <deque>
#include <utility>
#include <vector>

namespace taffrail::store {

/// Smallest and largest row number of the scalar rows; false when there are none.
bool scalar_rows(const tlog::Batch& batch, std::uint64_t& first, std::uint64_t& last) noexcept;

/// Owns the columns it had to copy; other spans point into the original, which must outlive it.
class FilteredBatch {
  public:
    FilteredBatch(const tlog::Batch& batch, const RowSet& seen);

    [[nodiscard]] const tlog::Batch& batch() const noexcept { return batch_; }

  private:
    template <typename T>
    std::span<const T> keep(std::span<const T> column);
    tlog::Axes keep_axes(const tlog::Axes& axes, const RowSet& seen);

    tlog::Batch batch_;
    std::vector<std::size_t> kept_;  ///< rows of the section at hand
    std::deque<std::vector<std::uint64_t>> blocks_;
};

}  // namespace taffrail::store
