// A growing column that takes few bytes: numbers that rise evenly take none, times that nearly do a
// few, doubles that were 32-bit floats half. Any value can be asked for.
//
// Whole blocks never change, so that a View of what was there at a moment needs no lock and no copy
// (but of the few values behind the last whole block).
#pragma once

#include "model/packed_block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace taffrail::model {

/// T is std::int64_t, std::uint64_t or double. Reading is safe from any number of threads;
/// appending must be alone (views excepted).
template <typename T>
class PackedColumn {
  public:
    /// The column as it stood when view() was called.
    class View {
      public:
        [[nodiscard]] std::size_t size() const noexcept { return size_; }

        void copy(std::size_t first, std::size_t count, T* to) const noexcept {
            PackedColumn::copy(shelves_, (size_ - tail_.size()) / kPackedRows, tail_, first, count,
                               to);
        }

      private:
        friend class PackedColumn;
        std::vector<std::shared_ptr<const PackedShelf>> shelves_;
        std::vector<T> tail_;
        std::size_t size_ = 0;
    };

    [[nodiscard]] std::size_t size() const noexcept { return blocks_ * kPackedRows + tail_.size(); }

    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    [[nodiscard]] T operator[](std::size_t row) const noexcept {
        const std::size_t block = row / kPackedRows;
        return block < blocks_
                   ? shelves_[block / kShelfBlocks]->blocks[block % kShelfBlocks].template at<T>(
                         row % kPackedRows)
                   : tail_[row - blocks_ * kPackedRows];
    }

    [[nodiscard]] T front() const noexcept { return (*this)[0]; }

    [[nodiscard]] T back() const noexcept { return (*this)[size() - 1]; }

    void push_back(T value) {
        tail_.push_back(value);
        if (tail_.size() == kPackedRows) {
            pack();
        }
    }

    void append(std::span<const T> values) {
        while (!values.empty()) {
            const std::size_t some = std::min(values.size(), kPackedRows - tail_.size());
            tail_.insert(tail_.end(), values.begin(),
                         values.begin() + static_cast<std::ptrdiff_t>(some));
            values = values.subspan(some);
            if (tail_.size() == kPackedRows) {
                pack();
            }
        }
    }

    void copy(std::size_t first, std::size_t count, T* to) const noexcept {
        copy(shelves_, blocks_, tail_, first, count, to);
    }

    [[nodiscard]] View view() const {
        View view;
        view.shelves_.assign(shelves_.begin(), shelves_.end());
        view.tail_ = tail_;
        view.size_ = size();
        return view;
    }

  private:
    void pack() {
        if (blocks_ % kShelfBlocks == 0) {
            shelves_.push_back(std::make_shared<PackedShelf>());
        }
        // Views know how many blocks were there; they never look at this one.
        shelves_.back()->blocks[blocks_ % kShelfBlocks] = pack_block(std::span<const T>(tail_));
        ++blocks_;
        tail_.clear();
    }

    template <typename Shelves>
    static void copy(const Shelves& shelves, std::size_t blocks, const std::vector<T>& tail,
                     std::size_t first, std::size_t count, T* to) noexcept {
        while (count > 0) {
            const std::size_t block = first / kPackedRows, row = first % kPackedRows;
            const std::size_t some = std::min(count, kPackedRows - row);
            if (block < blocks) {
                shelves[block / kShelfBlocks]->blocks[block % kShelfBlocks].copy(row, some, to);
            } else {
                std::copy_n(tail.begin() + static_cast<std::ptrdiff_t>(row), some, to);
            }
            first += some;
            to += some;
            count -= some;
        }
    }

    std::vector<std::shared_ptr<PackedShelf>> shelves_;
    std::size_t blocks_ = 0;
    std::vector<T> tail_;
};

}  // namespace taffrail::model
