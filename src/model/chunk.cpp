#include "model/chunk.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>

namespace taffrail {
namespace {

constexpr std::size_t kAlignment = 64;

/// Memory of whole columns that nobody holds any more, for the next chunk: fresh memory of half a
/// megabyte costs as many page faults as its decoding costs time.
class SpareColumns {
  public:
    static constexpr std::size_t kBytes = Chunk::kMaxRows * sizeof(double);

    static SpareColumns& shared() {
        static auto* const spares = new SpareColumns;  // chunks may outlive everything static
        return *spares;
    }

    std::byte* take() noexcept {
        const std::lock_guard lock(mutex_);
        return count_ > 0 ? spares_[--count_] : nullptr;
    }

    bool keep(std::byte* memory) noexcept {
        const std::lock_guard lock(mutex_);
        if (count_ == spares_.size()) {
            return false;
        }
        spares_[count_++] = memory;
        return true;
    }

  private:
    std::mutex mutex_;
    std::array<std::byte*, 8> spares_{};
    std::size_t count_ = 0;
};

/// How long a piece of memory is stands in the 64 bytes before it.
ChunkBuffers::Memory allocate(std::size_t bytes) {
    const std::size_t padded =
        std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    std::byte* memory = padded == SpareColumns::kBytes ? SpareColumns::shared().take() : nullptr;
    if (memory == nullptr) {
        memory = static_cast<std::byte*>(
                     ::operator new[](kAlignment + padded, std::align_val_t(kAlignment))) +
                 kAlignment;
        std::memcpy(memory - kAlignment, &padded, sizeof(padded));
    }
    return ChunkBuffers::Memory(memory);
}

template <typename T>
T at(const ChunkBuffers& buffers, Column column, std::size_t row, T otherwise) noexcept {
    const std::byte* const data = buffers.of[static_cast<std::size_t>(column)].data.get();
    return data != nullptr ? reinterpret_cast<const T*>(data)[row] : otherwise;
}

}  // namespace

void ChunkBuffers::Free::operator()(std::byte* memory) const noexcept {
    std::size_t bytes = 0;
    std::memcpy(&bytes, memory - kAlignment, sizeof(bytes));
    if (bytes != SpareColumns::kBytes || !SpareColumns::shared().keep(memory)) {
        ::operator delete[](memory - kAlignment, std::align_val_t(kAlignment));
    }
}

std::size_t Chunk::rows() const noexcept {
    return buffers_->rows;
}

Columns Chunk::columns() const noexcept {
    return buffers_->columns;
}

const void* Chunk::data(Column column) const noexcept {
    return buffers_->of[static_cast<std::size_t>(column)].data.get();
}

const std::uint8_t* Chunk::validity(Column column) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(
        buffers_->of[static_cast<std::size_t>(column)].validity.get());
}

std::size_t Chunk::null_count(Column column) const noexcept {
    return buffers_->of[static_cast<std::size_t>(column)].nulls;
}

Point Chunk::point(std::size_t row) const noexcept {
    Point point;
    point.step = at(*buffers_, Column::Step, row, point.step);
    point.time_ns = at(*buffers_, Column::Time, row, point.time_ns);
    point.value = at(*buffers_, Column::Value, row, point.value);
    point.epoch = at(*buffers_, Column::Epoch, row, point.epoch);
    point.samples = at(*buffers_, Column::Samples, row, point.samples);
    point.attempt = at(*buffers_, Column::Attempt, row, point.attempt);
    point.rank = at(*buffers_, Column::Rank, row, point.rank);
    point.phase = at(*buffers_, Column::Phase, row, point.phase);
    point.writer = at(*buffers_, Column::Writer, row, point.writer);
    point.seq = at(*buffers_, Column::Seq, row, point.seq);
    return point;
}

}  // namespace taffrail

namespace taffrail::model {

std::size_t bytes_of(Column column) noexcept {
    switch (column) {
        case Column::Rank:
        case Column::Attempt:
            return 4;
        case Column::Phase:
            return 1;
        default:
            return 8;
    }
}

ChunkBuilder::ChunkBuilder(Columns columns, std::size_t capacity)
    : columns_(columns), capacity_(capacity) {
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        if (columns.contains(static_cast<Column>(i))) {
            buffers_[i] = allocate(capacity * bytes_of(static_cast<Column>(i)));
        }
    }
}

/// visit(first value as the unsigned number of that width)
template <typename Visit>
void ChunkBuilder::for_columns(Visit visit) {
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        std::byte* const values = buffers_[i].get();
        if (values == nullptr) {
            continue;
        }
        switch (bytes_of(static_cast<Column>(i))) {
            case 1:
                visit(reinterpret_cast<std::uint8_t*>(values));
                break;
            case 4:
                visit(reinterpret_cast<std::uint32_t*>(values));
                break;
            default:
                visit(reinterpret_cast<std::uint64_t*>(values));
        }
    }
}

void ChunkBuilder::keep(std::size_t first, std::span<const std::uint8_t> marks) {
    assert(first + marks.size() == rows_);
    const auto is_kept = [](std::uint8_t mark) { return mark != 0; };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(marks, is_kept));
    if (kept == marks.size()) {
        return;
    }
    for_columns([&](auto* values) {
        auto* to = values + first;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            *to = values[first + i];
            to += marks[i] != 0 ? 1 : 0;
        }
    });
    rows_ = first + kept;
}

void ChunkBuilder::reverse(std::size_t first) {
    for_columns([&](auto* values) { std::reverse(values + first, values + rows_); });
}

void ChunkBuilder::add_row(const Chunk& from, std::size_t row) {
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        if (buffers_[i] != nullptr) {
            const auto column = static_cast<Column>(i);
            const std::size_t bytes = bytes_of(column);
            std::memcpy(buffers_[i].get() + rows_ * bytes,
                        static_cast<const std::byte*>(from.data(column)) + row * bytes, bytes);
        }
    }
    ++rows_;
}

Chunk ChunkBuilder::finish(Columns wanted) && {
    auto buffers = std::make_shared<ChunkBuffers>();
    buffers->rows = rows_;
    buffers->columns = wanted;
    const auto mark_absent = [&](Column column, auto is_absent) {
        auto& target = buffers->of[static_cast<std::size_t>(column)];
        for (std::size_t row = 0; row < rows_; ++row) {
            target.nulls += is_absent(row) ? 1 : 0;
        }
        if (target.nulls == 0) {
            return;
        }
        const std::size_t bytes = (rows_ + 7) / 8;
        target.validity = allocate(bytes);
        std::memset(target.validity.get(), 0, bytes);
        for (std::size_t row = 0; row < rows_; ++row) {
            if (!is_absent(row)) {
                target.validity[row / 8] |= std::byte{1} << row % 8;
            }
        }
    };
    if (wanted.contains(Column::Epoch)) {
        const auto epoch = values<double>(Column::Epoch);
        mark_absent(Column::Epoch, [&](std::size_t row) { return std::isnan(epoch[row]); });
    }
    if (wanted.contains(Column::Samples)) {
        const auto samples = values<std::int64_t>(Column::Samples);
        mark_absent(Column::Samples, [&](std::size_t row) { return samples[row] == INT64_MIN; });
    }
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        if (wanted.contains(static_cast<Column>(i))) {
            buffers->of[i].data = std::move(buffers_[i]);
            const std::size_t width = bytes_of(static_cast<Column>(i));
            if (rows_ < capacity_ / 2) {  // what is kept long should not keep empty room
                ChunkBuffers::Memory tight = allocate(rows_ * width);
                std::memcpy(tight.get(), buffers->of[i].data.get(), rows_ * width);
                buffers->of[i].data = std::move(tight);
            }
        }
    }
    return Chunk(std::move(buffers));
}

}  // namespace taffrail::model
