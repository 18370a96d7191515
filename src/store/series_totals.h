// Running totals of a series of a log: what a checkpoint keeps of it.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"

#include <cstdint>
#include <span>

namespace taffrail::store {

/// What rows have in common for all their columns.
struct RowRange {
    Step first_step = INT64_MAX, last_step = INT64_MIN;
    bool any_hidden = false;
};

[[nodiscard]] RowRange range_of(const tlog::Axes& axes) noexcept;

/// A summary that rows of a log are added to.
struct SeriesTotals {
    SeriesSummary summary;
    /// Within one batch sections are not in order; the newest row decides the last time, the newest
    /// finite one `last`.
    std::uint64_t last_seq = 0, last_finite_seq = 0;

    void add(double value, Step step, std::int64_t time_ns, std::uint64_t seq) noexcept;
    /// A whole column of rows in log order; hidden rows are left out. `range` is that of the axes.
    void add(std::span<const double> values, const tlog::Axes& axes,
             const RowRange& range) noexcept;

  private:
    void add(std::span<const double> values, Step smallest, Step largest,
             std::int64_t first_time_ns, std::int64_t last_time_ns, std::uint64_t seq) noexcept;
};

}  // namespace taffrail::store
