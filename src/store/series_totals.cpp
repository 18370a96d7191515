#include "store/series_totals.h"

#include "model/series_summary.h"

#include <algorithm>

namespace taffrail::store {

void SeriesTotals::add(std::span<const double> values, Step smallest, Step largest,
                       std::int64_t first_time_ns, std::int64_t last_time_ns,
                       std::uint64_t seq) noexcept {
    const double last = summary.last;
    const std::uint64_t finite = summary.finite_count();
    if (summary.count == 0) {
        summary.first_time_ns = first_time_ns;
    }
    model::add_steps(summary, smallest, largest);
    model::add_values(summary, values);
    if (seq >= last_seq) {
        summary.last_time_ns = last_time_ns;
        last_seq = seq;
    }
    if (summary.finite_count() == finite) {
        return;
    }
    if (finite > 0 && seq < last_finite_seq) {
        summary.last = last;
    } else {
        last_finite_seq = seq;
    }
}

void SeriesTotals::add(double value, Step step, std::int64_t time_ns, std::uint64_t seq) noexcept {
    add({&value, 1}, step, step, time_ns, time_ns, seq);
}

RowRange range_of(const tlog::Axes& axes) noexcept {
    RowRange range;
    for (std::size_t row = 0; row < axes.rows(); ++row) {
        range.first_step = std::min(range.first_step, axes.step[row]);
        range.last_step = std::max(range.last_step, axes.step[row]);
    }
    for (const std::uint32_t route : axes.route) {
        range.any_hidden = range.any_hidden || (route & tlog::kHidden) != 0;
    }
    return range;
}

void SeriesTotals::add(std::span<const double> values, const tlog::Axes& axes,
                       const RowRange& range) noexcept {
    if (values.empty()) {
        return;
    }
    if (range.any_hidden) {
        for (std::size_t row = 0; row < values.size(); ++row) {
            if ((axes.route[row] & tlog::kHidden) == 0) {
                add(values[row], axes.step[row], axes.time_ns[row], axes.seq[row]);
            }
        }
        return;
    }
    add(values, range.first_step, range.last_step, axes.time_ns.front(), axes.time_ns.back(),
        axes.seq.back());
}

}  // namespace taffrail::store
