// Finding positions and summing ranges on a pyramid, for any way of holding one.
//
// A Source offers, for complete nodes only:
//   points(), levels(), nodes(level)
//   node_x(level, k), node_end_x(level, k)   positions of the first and last point of a node
//   point_x(i), point_value(i)
//   add_nodes(level, first, last, stats)     min, max, sum and count
//   specials()                               NaN and infinity counts of base nodes
//   node_last(level, k)                      value of the last point of a node
// A source that must read a file keeps its first error and answers zeros after it; the caller asks
// for it at the end.
#pragma once

#include "model/bin_segment.h"
#include "model/pyramid.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace taffrail::model {

template <typename Source>
class SegmentSearch {
  public:
    explicit SegmentSearch(Source& source) noexcept : source_(source) {}

    void place(std::span<const Boundary> boundaries, std::optional<unsigned> level,
               std::span<Cut> cuts) {
        const bool from_nodes = level && source_.levels() > 0;
        const unsigned start = from_nodes ? std::min(*level, source_.levels() - 1) : 0;
        std::uint64_t from = 0;
        for (std::size_t i = 0; i < boundaries.size(); ++i) {
            if (from_nodes) {
                from = i == 0 ? find_node(start, boundaries[i].at)
                              : gallop(from, source_.nodes(start), boundaries[i].at,
                                       [&](std::uint64_t k) { return source_.node_x(start, k); });
                cuts[i] = place_one(boundaries[i], start, from);
                from -= from > 0;  // the next boundary may lie in the same node
            } else {
                from = i == 0 ? find_point(boundaries[i].at)
                              : gallop(from, source_.points(), boundaries[i].at,
                                       [&](std::uint64_t k) { return source_.point_x(k); });
                cuts[i] = {from, boundaries[i].at, 0, false};
            }
        }
    }

    void accumulate(std::span<const std::uint64_t> ends, std::span<BinStats> stats) {
        for (std::size_t i = 0; i < stats.size(); ++i) {
            if (ends[i] < ends[i + 1]) {
                add_range(ends[i], ends[i + 1], stats[i]);
            }
        }
    }

  private:
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    /// First index in [first, end) whose position is ≥ x, else end. Cheap when it is near `first`.
    template <typename Position>
    static std::uint64_t gallop(std::uint64_t first, std::uint64_t end, double x,
                                Position position) {
        std::uint64_t low = first, stride = 1;
        while (low + stride < end && position(low + stride) < x) {
            low += stride;
            stride *= 2;
        }
        return lower_bound(low, std::min(end, low + stride + 1), x, position);
    }

    template <typename Position>
    static std::uint64_t lower_bound(std::uint64_t low, std::uint64_t high, double x,
                                     Position position) {
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (position(middle) < x) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// First node of `level` that begins at or behind x, from the top down: touches one family of
    /// nodes a level.
    std::uint64_t find_node(unsigned level, double x) {
        std::uint64_t low = 0, high = source_.nodes(source_.levels() - 1);
        for (unsigned at = source_.levels() - 1;; --at) {
            const std::uint64_t found =
                lower_bound(low, high, x, [&](std::uint64_t k) { return source_.node_x(at, k); });
            if (at == level) {
                return found;
            }
            low = found > 0 ? (found - 1) * kFanOut : 0;
            high = found < source_.nodes(at) ? found * kFanOut : source_.nodes(at - 1);
        }
    }

    std::uint64_t find_point(double x) {
        std::uint64_t low = 0, high = source_.points();
        if (source_.levels() > 0) {
            const std::uint64_t found = find_node(0, x);
            low = found > 0 ? (found - 1) * kBaseFanOut : 0;
            high = found < source_.nodes(0) ? found * kBaseFanOut : source_.points();
        }
        return lower_bound(low, high, x, [&](std::uint64_t i) { return source_.point_x(i); });
    }

    /// `after` = first node of `level` that begins at or behind the boundary.
    Cut place_one(const Boundary& boundary, unsigned level, std::uint64_t after) {
        while (true) {
            const std::uint64_t size = node_points(level), nodes = source_.nodes(level);
            std::uint64_t first_point = 0, end_point = source_.points();
            if (after > 0) {
                const double end_x = source_.node_end_x(level, after - 1);
                if (end_x < boundary.at) {
                    if (after < nodes) {
                        return {after * size, boundary.at, end_x, false};
                    }
                    first_point = after * size;  // somewhere behind the last whole node
                } else {
                    if (const auto cut = nearest_node(boundary, level, after, end_x)) {
                        return *cut;
                    }
                    first_point = (after - 1) * size;
                    end_point = after * size;
                }
            }
            if (level == 0) {
                const std::uint64_t index =
                    lower_bound(first_point, end_point, boundary.at,
                                [&](std::uint64_t i) { return source_.point_x(i); });
                return {index, boundary.at, 0, false};
            }
            --level;
            const std::uint64_t child_size = node_points(level);
            after = lower_bound(first_point / child_size,
                                std::min(end_point / child_size, source_.nodes(level)), boundary.at,
                                [&](std::uint64_t k) { return source_.node_x(level, k); });
        }
    }

    /// The boundary lies inside node `after - 1`. A node edge beside it will do when it is near
    /// enough and no two points at that very position are torn apart.
    std::optional<Cut> nearest_node(const Boundary& boundary, unsigned level, std::uint64_t after,
                                    double end_x) {
        std::optional<Cut> best;
        const std::uint64_t size = node_points(level);
        if (after < source_.nodes(level)) {
            const double x = source_.node_x(level, after);
            if (x < boundary.latest && end_x < x) {
                best = Cut{after * size, x, end_x, true};
            }
        }
        if (after > 1) {
            const double x = source_.node_x(level, after - 1);
            if (x > boundary.earliest && (!best || boundary.at - x < best->edge - boundary.at)) {
                const double before = source_.node_end_x(level, after - 2);
                if (before < x) {
                    best = Cut{(after - 1) * size, x, before, true};
                }
            }
        }
        return best;
    }

    void add_range(std::uint64_t first, std::uint64_t last, BinStats& stats) {
        const std::uint64_t first_node = (first + kBaseFanOut - 1) / kBaseFanOut;
        const std::uint64_t last_node = last / kBaseFanOut;
        if (source_.levels() == 0 || first_node >= last_node) {
            add_points(first, last, stats);
            return;
        }
        add_points(first, first_node * kBaseFanOut, stats);
        add_whole_nodes(first_node, last_node, stats);
        add_points(last_node * kBaseFanOut, last, stats);
    }

    void add_whole_nodes(std::uint64_t first, std::uint64_t last, BinStats& stats) {
        BinStats whole;
        const unsigned level = add_nodes(0, first, last, whole);
        add_specials(first, last, whole);
        if (whole.max == kInfinity || whole.min == -kInfinity) {
            // Nodes of files that older versions wrote took infinities for extremes.
            whole.min = kInfinity;
            whole.max = -kInfinity;
            add_finite_extremes(first, last, whole);
        }
        stats.min = std::min(stats.min, whole.min);
        stats.max = std::max(stats.max, whole.max);
        stats.sum += whole.sum;
        stats.count += whole.count;
        stats.nan_count += whole.nan_count;
        stats.positive_infinity_count += whole.positive_infinity_count;
        stats.negative_infinity_count += whole.negative_infinity_count;
        if (whole.has_finite()) {
            const double end =
                source_.node_last(level, last * kBaseFanOut / node_points(level) - 1);
            stats.last = end - end == 0 ? end : last_finite(first, last);
        }
    }

    void add_specials(std::uint64_t first, std::uint64_t last, BinStats& stats) {
        const std::span<const SpecialTotals> specials = source_.specials();
        if (specials.empty()) {
            return;
        }
        const SpecialTotals before = specials_before(specials, first),
                            upto = specials_before(specials, last);
        stats.nan_count += upto.nan_count - before.nan_count;
        stats.positive_infinity_count +=
            upto.positive_infinity_count - before.positive_infinity_count;
        stats.negative_infinity_count +=
            upto.negative_infinity_count - before.negative_infinity_count;
    }

    /// Extremes of base nodes without a look at those that hold infinities: their points are read.
    void add_finite_extremes(std::uint64_t first, std::uint64_t last, BinStats& stats) {
        BinStats found;
        const std::span<const SpecialTotals> specials = source_.specials();
        auto odd = std::ranges::lower_bound(specials, first, {}, &SpecialTotals::node);
        std::uint64_t node = first;
        for (; odd != specials.end() && odd->node < last; ++odd) {
            source_.add_nodes(0, node, odd->node, found);
            add_points(odd->node * kBaseFanOut, (odd->node + 1) * kBaseFanOut, found);
            node = odd->node + 1;
        }
        source_.add_nodes(0, node, last, found);
        stats.min = found.min;
        stats.max = found.max;
    }

    /// Of base nodes that hold a finite point. Whole nodes of others behind it are jumped over, as
    /// a run that diverged has millions.
    double last_finite(std::uint64_t first, std::uint64_t last) {
        const auto nothing_from = [&](std::uint64_t node) {
            BinStats rest;
            rest.count = (last - node) * kBaseFanOut;
            add_specials(node, last, rest);
            return !rest.has_finite();
        };
        std::uint64_t low = first, high = last;  // nothing finite from `high` on
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (nothing_from(middle) ? high : low) = middle;
        }
        BinStats node;
        add_points(low * kBaseFanOut, high * kBaseFanOut, node);
        return node.last;
    }

    void add_points(std::uint64_t first, std::uint64_t last, BinStats& stats) {
        for (std::uint64_t i = first; i < last; ++i) {
            stats.add(source_.point_value(i));
        }
    }

    /// Returns the level of the node that ends the range.
    unsigned add_nodes(unsigned level, std::uint64_t first, std::uint64_t last, BinStats& stats) {
        const std::uint64_t first_parent = (first + kFanOut - 1) / kFanOut,
                            last_parent = last / kFanOut;
        if (level + 1 >= source_.levels() || first_parent >= last_parent) {
            source_.add_nodes(level, first, last, stats);
            return level;
        }
        if (first < first_parent * kFanOut) {
            source_.add_nodes(level, first, first_parent * kFanOut, stats);
        }
        const unsigned end_level = add_nodes(level + 1, first_parent, last_parent, stats);
        if (last_parent * kFanOut < last) {
            source_.add_nodes(level, last_parent * kFanOut, last, stats);
            return level;
        }
        return end_level;
    }

    Source& source_;
};

}  // namespace taffrail::model
