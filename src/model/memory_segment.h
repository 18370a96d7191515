// A series in memory as a bin segment; positions come from a column of whole numbers or of doubles.
#pragma once

#include "model/axes.h"
#include "model/bin_segment.h"
#include "model/pyramid.h"
#include "model/segment_search.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::model {

/// `Positions` and `Values` are vectors or packed columns, which outlive the segment.
template <typename T, typename Positions, typename Values>
class MemorySegment final : public BinSegment {
  public:
    /// `coarse` holds every 512th of `axis`; `origin` is subtracted from each position.
    MemorySegment(const Positions& axis, std::span<const T> coarse, T origin, const Values& values,
                  const Pyramid& pyramid)
        : axis_(axis), coarse_(coarse), origin_(origin), values_(values), pyramid_(pyramid) {}

    // What SegmentSearch asks for.
    [[nodiscard]] std::uint64_t points() const override { return values_.size(); }

    [[nodiscard]] unsigned levels() const {
        return static_cast<unsigned>(pyramid_.levels().size());
    }

    [[nodiscard]] std::uint64_t nodes(unsigned level) const {
        return pyramid_.levels()[level].nodes();
    }

    [[nodiscard]] double node_x(unsigned level, std::uint64_t node) const {
        return level == 0 ? point_x(node * kBaseFanOut)
                          : position(coarse_[node << (3 * (level - 1))]);
    }

    [[nodiscard]] double node_end_x(unsigned level, std::uint64_t node) const {
        return point_x((node + 1) * node_points(level) - 1);
    }

    [[nodiscard]] double point_x(std::uint64_t index) const { return position(axis_[index]); }

    [[nodiscard]] double point_value(std::uint64_t index) const { return values_[index]; }

    [[nodiscard]] double node_last(unsigned level, std::uint64_t node) const {
        return values_[(node + 1) * node_points(level) - 1];
    }

    void add_nodes(unsigned level, std::uint64_t first, std::uint64_t last, BinStats& stats) const {
        const PyramidLevel& nodes = pyramid_.levels()[level];
        for (std::uint64_t node = first; node < last; ++node) {
            stats.min = std::min(stats.min, nodes.min[node]);
            stats.max = std::max(stats.max, nodes.max[node]);
            stats.sum += nodes.sum[node];
        }
        stats.count += (last - first) * node_points(level);
    }

    [[nodiscard]] std::span<const SpecialTotals> specials() const { return pyramid_.specials(); }

    [[nodiscard]] double first_x() const override { return point_x(0); }

    [[nodiscard]] double last_x() const override { return point_x(values_.size() - 1); }

    Result<void> place(std::span<const Boundary> boundaries, std::optional<unsigned> level,
                       std::span<Cut> cuts) const override {
        SegmentSearch<const MemorySegment>(*this).place(boundaries, level, cuts);
        return {};
    }

    Result<void> accumulate(std::span<const std::uint64_t> ends,
                            std::span<BinStats> stats) const override {
        SegmentSearch<const MemorySegment>(*this).accumulate(ends, stats);
        return {};
    }

    Result<void> copy(std::uint64_t first, std::uint64_t last, std::vector<double>& x,
                      std::vector<double>& value) const override {
        for (std::uint64_t i = first; i < last; ++i) {
            x.push_back(point_x(i));
            value.push_back(values_[i]);
        }
        return {};
    }

  private:
    [[nodiscard]] double position(T raw) const { return difference(raw, origin_); }

    const Positions& axis_;
    std::span<const T> coarse_;
    T origin_;
    const Values& values_;
    const Pyramid& pyramid_;
};

}  // namespace taffrail::model
