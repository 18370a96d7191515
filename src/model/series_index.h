// A scalar series in memory with its pyramid: what readers of live logs and of foreign files keep.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "model/axes.h"
#include "model/bin_segment.h"
#include "model/pyramid.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace taffrail::model {

/// Points in log order. Memory: 8.5 bytes a point or half of it (model/packed_column.h), and what
/// the axes take unless they are shared: little where they rise evenly.
/// const calls are safe from any number of threads; append() must be alone.
class SeriesIndex {
  public:
    SeriesIndex();
    /// Shares the axes: whoever owns the table appends to it, then the values here.
    explicit SeriesIndex(std::shared_ptr<const AxisTable> axes);

    /// Appends points with axes of their own. Only for an index that shares no table.
    void append(const AxisSpans& axes, std::span<const double> values);
    void append(const Point& point);
    /// Appends values; the shared table has their axes already.
    void append_values(std::span<const double> values);

    [[nodiscard]] std::uint64_t points() const noexcept { return values_.size(); }

    [[nodiscard]] const PackedColumn<double>& values() const noexcept { return values_; }

    [[nodiscard]] const AxisTable& axes() const noexcept {
        return shared_axes_ ? *shared_axes_ : *axes_;
    }

    [[nodiscard]] const Pyramid& pyramid() const noexcept { return pyramid_; }

    /// Bins on any axis but Metric (that one needs another series: bins_on). Where the axis never
    /// falls the cost depends on the width only; else the points are sorted once per axis and kept
    /// sorted until the series grows. `origin_ns` is the zero of RelativeTime.
    [[nodiscard]] Result<Bins> bins(const BinRequest& request, std::int64_t origin_ns) const;

    /// The series as a segment of a longer one; null when the axis falls somewhere or is absent.
    /// Valid while this index lives and does not grow.
    [[nodiscard]] std::unique_ptr<BinSegment> segment(Axis axis, std::int64_t origin_ns) const;

  private:
    struct SortedCache;
    std::shared_ptr<AxisTable> axes_;
    std::shared_ptr<const AxisTable> shared_axes_;
    PackedColumn<double> values_;
    Pyramid pyramid_;
    std::shared_ptr<SortedCache> sorted_;
};

/// A series sorted by positions of any origin (a metric axis, disordered time, several writers),
/// with its own pyramid. Points without a place (NaN or infinite x) are counted, not kept.
class SortedSeries {
  public:
    SortedSeries(std::span<const double> x, std::span<const double> value);
    [[nodiscard]] Result<Bins> bins(const BinRequest& request) const;

  private:
    std::vector<double> x_, coarse_x_, values_;
    Pyramid pyramid_;
    std::uint64_t without_place_ = 0;
};

}  // namespace taffrail::model
