// Running totals of a scalar series: what a checkpoint keeps of it.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"

#include <cstdint>
#include <span>

namespace taffrail::storage {

/// A summary that points are added to in log order.
struct SeriesTotals {
    SeriesSummary summary;
    /// Within one batch sections are not in order; the newest row decides `last`.
    std::uint64_t last_seq = 0;

    void add(double value, Step step, std::int64_t time_ns, std::uint64_t seq) noexcept;
    /// A whole column of rows in log order; hidden rows are left out.
    void add(std::span<const double> values, const tlog::Axes& axes, bool any_hidden) noexcept;
    /// Points that came after these, from another file or writer.
    void merge(const SeriesSummary& later) noexcept;
};

bool any_hidden(const tlog::Axes& axes) noexcept;

}  // namespace taffrail::storage
