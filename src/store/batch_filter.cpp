#include "store/batch_filter.h"

#include <algorithm>

namespace taffrail::store {

bool scalar_rows(const tlog::Batch& batch, std::uint64_t& first, std::uint64_t& last) noexcept {
    bool any = false;
    auto take = [&](const tlog::Axes& axes) {
        for (const std::uint64_t seq : axes.seq) {
            first = any ? std::min(first, seq) : seq;
            last = any ? std::max(last, seq) : seq;
            any = true;
        }
    };
    for (const tlog::WideRows& rows : batch.wide) {
        take(rows.axes);
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        take(rows.axes);
    }
    return any;
}

template <typename T>
std::span<const T> FilteredBatch::keep(std::span<const T> column) {
    if (column.empty()) {
        return {};
    }
    std::vector<std::uint64_t>& block = blocks_.emplace_back((kept_.size() * sizeof(T) + 7) / 8);
    T* out = reinterpret_cast<T*>(block.data());
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        out[i] = column[kept_[i]];
    }
    return {out, kept_.size()};
}

tlog::Axes FilteredBatch::keep_axes(const tlog::Axes& axes, const RowSet& seen) {
    kept_.clear();
    for (std::size_t row = 0; row < axes.rows(); ++row) {
        if (!seen.contains(axes.seq[row])) {
            kept_.push_back(row);
        }
    }
    return {keep(axes.seq),     keep(axes.step),  keep(axes.time_ns), keep(axes.epoch),
            keep(axes.samples), keep(axes.phase), keep(axes.route)};
}

FilteredBatch::FilteredBatch(const tlog::Batch& batch, const RowSet& seen) : batch_(batch) {
    for (tlog::WideRows& rows : batch_.wide) {
        rows.axes = keep_axes(rows.axes, seen);
        for (auto& column : rows.columns) {
            column = keep(column);
        }
    }
    for (tlog::LongRows& rows : batch_.long_rows) {
        rows.axes = keep_axes(rows.axes, seen);
        rows.key = keep(rows.key);
        rows.value = keep(rows.value);
    }
    std::erase_if(batch_.wide, [](const tlog::WideRows& rows) { return rows.axes.rows() == 0; });
    std::erase_if(batch_.long_rows,
                  [](const tlog::LongRows& rows) { return rows.axes.rows() == 0; });
}

}  // namespace taffrail::store
