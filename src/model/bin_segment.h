// A stretch of a series whose positions never fall, as the bin query sees it. A live series in
// memory is one, a sealed file is another, and a question over several of them (sealed files, then
// the live tail) is answered piece by piece.
#pragma once

#include <taffrail/result.h>

#include "model/bin_stats.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace taffrail::model {

/// A boundary wanted at `at`, which may move inside the open interval (earliest, latest). earliest
/// = latest: exactly there.
struct Boundary {
    double at = 0, earliest = 0, latest = 0;
};

/// Where a boundary came to lie: points before `index` are below `edge`, the others at or above it.
struct Cut {
    std::uint64_t index = 0;
    double edge = 0;
    double before = 0;   ///< position of the point before `index`; meaningful when moved
    bool moved = false;  ///< edge is not the boundary that was asked for
};

/// Positions are non-decreasing and finite. Safe for concurrent use.
class BinSegment {
  public:
    virtual ~BinSegment() = default;
    [[nodiscard]] virtual std::uint64_t points() const = 0;

    /// Points of the stretch that have no place on this axis; not among points().
    [[nodiscard]] virtual std::uint64_t without_place() const { return 0; }

    /// Positions of the first and the last point; only when there are points.
    [[nodiscard]] virtual double first_x() const = 0;
    [[nodiscard]] virtual double last_x() const = 0;
    /// Places rising boundaries, each in (first_x, last_x]. `level` is the coarsest pyramid level
    /// to stop at; absent = look at points at once.
    virtual Result<void> place(std::span<const Boundary> boundaries, std::optional<unsigned> level,
                               std::span<Cut> cuts) const = 0;
    /// Adds the points [ends[i], ends[i+1]) to stats[i].
    virtual Result<void> accumulate(std::span<const std::uint64_t> ends,
                                    std::span<BinStats> stats) const = 0;
    /// Appends the points [first, last).
    virtual Result<void> copy(std::uint64_t first, std::uint64_t last, std::vector<double>& x,
                              std::vector<double>& value) const = 0;
};

/// A stretch without a single place on the axis, as most series have no epochs: known without a
/// look at a point.
class PlacelessSegment final : public BinSegment {
  public:
    explicit PlacelessSegment(std::uint64_t points) : points_(points) {}

    [[nodiscard]] std::uint64_t points() const override { return 0; }

    [[nodiscard]] std::uint64_t without_place() const override { return points_; }

    [[nodiscard]] double first_x() const override { return 0; }

    [[nodiscard]] double last_x() const override { return 0; }

    Result<void> place(std::span<const Boundary>, std::optional<unsigned>,
                       std::span<Cut>) const override {
        return {};
    }

    Result<void> accumulate(std::span<const std::uint64_t>, std::span<BinStats>) const override {
        return {};
    }

    Result<void> copy(std::uint64_t, std::uint64_t, std::vector<double>&,
                      std::vector<double>&) const override {
        return {};
    }

  private:
    std::uint64_t points_;
};

}  // namespace taffrail::model
