// Rows turned into columns: the buffers behind a tlog::Batch, filled entry by entry and used again
// for the next batch.
#pragma once

#include "codec/tlog/batch.h"
#include "record/ring_layout.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taffrail::record {

/// The axes of one row, in one place.
struct RowAxes {
    std::uint64_t seq = 0;
    Step step = 0;
    std::int64_t time_ns = 0;
    std::uint32_t route = 0;
};

class BatchBuilder {
  public:
    /// Growing columns of the seven axes.
    struct AxisColumns {
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns, samples;
        std::vector<double> epoch;
        std::vector<std::uint8_t> phase;
        std::vector<std::uint32_t> route;

        void resize(std::size_t rows);
        void set(std::size_t row, const RowAxes& axes, const Context& context) noexcept;
        [[nodiscard]] tlog::Axes view(std::size_t rows) const noexcept;
    };

    /// Rows of one schema of two keys or more.
    struct Wide {
        std::uint32_t schema = 0;
        std::size_t width = 0, rows = 0, capacity = 0, most = 0;
        AxisColumns axes;
        std::vector<double> cells;  // column-major, `stride()` apart
        bool used = false;

        // One cache line more than the rows: columns a power of two apart would fight for the same
        // cache sets.
        [[nodiscard]] std::size_t stride() const noexcept { return capacity + 8; }

        void grow();
    };

    BatchBuilder();

    /// Empties the buffers and keeps their memory.
    void clear(std::uint64_t next_seq);

    Wide& wide(std::uint32_t schema, std::size_t width);

    /// False when this schema's share of the batch is full, or the batch.
    [[nodiscard]] bool has_room(const Wide& wide) const noexcept {
        return wide.rows < wide.most && cells_ < kMostCells;
    }

    void add(Wide& wide, const RowAxes& axes, const Context& context, const std::uint64_t* values) {
        if (wide.rows == wide.capacity) {
            wide.grow();
        }
        const std::size_t row = wide.rows++;
        cells_ += kAxes + wide.width;
        wide.axes.set(row, axes, context);
        const std::size_t stride = wide.stride();
        double* cell = wide.cells.data() + row;
        for (std::size_t i = 0; i < wide.width; ++i, cell += stride) {
            *cell = std::bit_cast<double>(values[i]);
        }
    }

    void add_long(std::uint32_t key, const RowAxes& axes, const Context& context,
                  std::uint64_t value);

    [[nodiscard]] bool long_has_room() const noexcept { return long_rows_ < kMostLongRows; }

    /// Everything that is no row is put in here directly; views must outlive the batch.
    tlog::Batch& batch() noexcept { return batch_; }

    /// Sets the views of the rows. Valid until the next change.
    const tlog::Batch& finish(std::uint64_t next_seq);

    [[nodiscard]] bool empty() const noexcept;

    /// Values (cells and records) in it.
    [[nodiscard]] std::uint64_t values() const noexcept { return values_; }

    void count_values(std::uint64_t values) noexcept { values_ += values; }

  private:
    static constexpr std::size_t kMostLongRows = 32 << 10;
    static constexpr std::size_t kAxes = 7;
    /// Of all wide rows: 16 MiB, so that readers need no more for a frame however many schemas are
    /// in use (codec/tlog/budget.h).
    static constexpr std::size_t kMostCells = 2 << 20;

    std::vector<std::unique_ptr<Wide>> wide_;  // by schema number
    std::vector<Wide*> used_;
    AxisColumns long_axes_;
    std::vector<std::uint32_t> long_keys_;
    std::vector<double> long_values_;
    std::size_t long_rows_ = 0;
    tlog::Batch batch_;
    std::uint64_t first_seq_ = 0;
    std::uint64_t values_ = 0;
    std::size_t cells_ = 0;
};

}  // namespace taffrail::record
