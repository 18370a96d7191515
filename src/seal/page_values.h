// One decoded page as it is kept in memory: smaller than the arrays it came from, since most pages
// are steps that rise evenly and metrics that were 32-bit floats.
#pragma once

#include "codec/parquet/page.h"

#include <cstdint>
#include <vector>

namespace taffrail::seal {

class PageValues {
  public:
    explicit PageValues(parquet::DecodedColumn page);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] double number(std::size_t row) const noexcept {
        return floats_.empty() ? doubles_[row] : static_cast<double>(floats_[row]);
    }

    [[nodiscard]] std::int64_t integer(std::size_t row) const noexcept {
        // Wraps as the stored differences do.
        return int64s_.empty()
                   ? static_cast<std::int64_t>(static_cast<std::uint64_t>(first_) +
                                               row * static_cast<std::uint64_t>(stride_))
                   : int64s_[row];
    }

    [[nodiscard]] bool valid(std::size_t row) const noexcept {
        return valid_.empty() || valid_[row] != 0;
    }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return 8 * (doubles_.size() + int64s_.size()) + 4 * floats_.size() + valid_.size() +
               sizeof *this;
    }

  private:
    std::size_t size_ = 0;
    std::vector<double> doubles_;
    std::vector<float> floats_;
    std::vector<std::int64_t> int64s_;
    std::int64_t first_ = 0, stride_ = 0;
    std::vector<std::uint8_t> valid_;
};

}  // namespace taffrail::seal
