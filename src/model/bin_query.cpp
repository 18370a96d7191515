#include "model/bin_query.h"

#include "base/try.h"
#include "model/bins.h"
#include "model/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace taffrail::model {
namespace {

/// A cut in one of the segments.
struct Place {
    std::size_t segment = 0;
    Cut cut;
};

class Query {
  public:
    explicit Query(std::span<const BinSegment* const> segments) {
        for (const BinSegment* segment : segments) {
            without_place_ += segment->without_place();
            if (segment->points() > 0) {
                segments_.push_back(segment);
            }
        }
    }

    [[nodiscard]] std::uint64_t without_place() const noexcept { return without_place_; }

    [[nodiscard]] bool empty() const noexcept { return segments_.empty(); }

    [[nodiscard]] double first_x() const { return segments_.front()->first_x(); }

    [[nodiscard]] double last_x() const { return segments_.back()->last_x(); }

    /// Places rising boundaries anywhere on the axis.
    Result<std::vector<Place>> place(std::span<const Boundary> boundaries,
                                     std::optional<unsigned> level) const {
        std::vector<Place> places(boundaries.size());
        std::vector<Cut> cuts(boundaries.size());
        std::size_t at = 0;
        for (std::size_t segment = 0; segment < segments_.size() && at < boundaries.size();
             ++segment) {
            const double first = segments_[segment]->first_x(), last = segments_[segment]->last_x();
            for (; at < boundaries.size() && boundaries[at].at <= first; ++at) {
                places[at] = {segment, {0, boundaries[at].at, 0, false}};
            }
            const std::size_t inside = at;
            while (at < boundaries.size() && boundaries[at].at <= last) {
                ++at;
            }
            if (inside < at) {
                const std::size_t count = at - inside;
                TAFFRAIL_TRY(segments_[segment]->place(boundaries.subspan(inside, count), level,
                                                       std::span(cuts).subspan(inside, count)));
                for (std::size_t i = inside; i < at; ++i) {
                    places[i] = {segment, cuts[i]};
                }
            }
        }
        for (; at < boundaries.size(); ++at) {
            places[at] = {segments_.size() - 1,
                          {segments_.back()->points(), boundaries[at].at, 0, false}};
        }
        return places;
    }

    [[nodiscard]] std::uint64_t points_between(const Place& first, const Place& last) const {
        std::uint64_t points = 0;
        for (std::size_t segment = first.segment; segment <= last.segment; ++segment) {
            points += clamp(last, segment) - clamp(first, segment);
        }
        return points;
    }

    Result<Bins> raw(const Place& first, const Place& last) const {
        std::vector<double> x, value;
        for (std::size_t segment = first.segment; segment <= last.segment; ++segment) {
            TAFFRAIL_TRY(
                segments_[segment]->copy(clamp(first, segment), clamp(last, segment), x, value));
        }
        return raw_bins(std::move(x), value);
    }

    Result<std::vector<BinStats>> accumulate(std::span<const Place> places) const {
        std::vector<BinStats> stats(places.size() - 1);
        std::vector<std::uint64_t> ends(places.size());
        for (std::size_t segment = 0; segment < segments_.size(); ++segment) {
            for (std::size_t i = 0; i < places.size(); ++i) {
                ends[i] = clamp(places[i], segment);
            }
            TAFFRAIL_TRY(segments_[segment]->accumulate(ends, stats));
        }
        return stats;
    }

  private:
    /// The index in `segment` up to which points lie before `place`.
    [[nodiscard]] std::uint64_t clamp(const Place& place, std::size_t segment) const {
        if (segment == place.segment) {
            return place.cut.index;
        }
        return segment < place.segment ? segments_[segment]->points() : 0;
    }

    std::vector<const BinSegment*> segments_;
    std::uint64_t without_place_ = 0;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Boundary exactly(double x) {
    return {x, x, x};
}

/// The coarsest level that still has two nodes a bin; the finest while a node is no wider than a
/// bin; else none.
std::optional<unsigned> choose_level(std::uint64_t points, std::size_t width) {
    const std::uint64_t per_bin = points / width;
    if (per_bin < kBaseFanOut) {
        return std::nullopt;
    }
    unsigned level = 0;
    while (level + 1 < kMaxLevels && 2 * node_points(level + 1) <= per_bin) {
        ++level;
    }
    return level;
}

Result<Bins> binned(const Query& query, const BinRequest& request, const BinGrid& grid,
                    std::uint64_t points) {
    std::vector<Boundary> boundaries(grid.boundary.size());
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        boundaries[i] = {grid.boundary[i], grid.earliest[i], grid.latest[i]};
    }
    // The last bin is closed, so its boundary stands just behind the end.
    const double end = grid.boundary.back();
    boundaries.back().at = std::nextafter(end, kInfinity);
    TAFFRAIL_ASSIGN(const std::vector<Place> places,
                    query.place(boundaries, choose_level(points, request.width)));
    TAFFRAIL_ASSIGN(const std::vector<BinStats> stats, query.accumulate(places));

    Bins bins;
    bins.edges.reserve(places.size());
    for (const Place& place : places) {
        bins.edges.push_back(place.cut.edge);
    }
    // A closed end may lie anywhere between the last point inside and the first one outside.
    const Cut& last = places.back().cut;
    bins.edges.back() =
        last.moved ? std::clamp(end, last.before, std::nextafter(last.edge, -kInfinity)) : end;
    reserve_bins(bins, stats.size());
    for (const BinStats& each : stats) {
        push_bin(bins, each);
    }
    return bins;
}

}  // namespace

Result<Bins> query_bins(std::span<const BinSegment* const> segments, const BinRequest& request) {
    TAFFRAIL_TRY(check(request));
    const Query query(segments);
    Bins nothing;
    nothing.raw = true;
    nothing.outside = query.without_place();
    if (query.empty()) {
        return nothing;
    }
    double first_x = query.first_x();
    std::uint64_t outside = query.without_place();
    if (request.scale == Scale::Log && first_x <= 0) {
        const Boundary positive[] = {exactly(-kInfinity),
                                     exactly(std::numeric_limits<double>::denorm_min())};
        TAFFRAIL_ASSIGN(const std::vector<Place> places, query.place(positive, 0));
        outside += query.points_between(places[0], places[1]);
        nothing.outside = outside;
        const Boundary everything[] = {positive[1], exactly(kInfinity)};
        TAFFRAIL_ASSIGN(const std::vector<Place> rest, query.place(everything, 0));
        if (query.points_between(rest[0], rest[1]) == 0) {
            return nothing;
        }
        // The first positive position: the points from there on are few or many, but one copy of
        // one point is cheap.
        Place second = rest[0];
        ++second.cut.index;
        TAFFRAIL_ASSIGN(const Bins first_point, query.raw(rest[0], second));
        first_x = first_point.x.front();
    }
    const double from = std::max(request.from.value_or(first_x),
                                 request.scale == Scale::Log ? first_x : -kInfinity);
    const double to = request.to.value_or(query.last_x());
    if (to < from) {
        return nothing;
    }
    const Boundary ends[] = {exactly(from), exactly(std::nextafter(to, kInfinity))};

    // Roughly first: nodes tell how many points lie in the range without touching one. Only a range
    // that may be small enough for raw points is then counted exactly.
    const Boundary rough_ends[] = {{from, -kInfinity, kInfinity},
                                   {ends[1].at, -kInfinity, kInfinity}};
    TAFFRAIL_ASSIGN(std::vector<Place> range, query.place(rough_ends, 0));
    std::uint64_t points = query.points_between(range[0], range[1]);
    if (points <= kRawPointsPerBin * request.width + 4 * kBaseFanOut) {
        TAFFRAIL_ASSIGN(range, query.place(ends, 0));
        points = query.points_between(range[0], range[1]);
    }
    Result<Bins> bins = nothing;
    if (points <= kRawPointsPerBin * request.width) {
        bins = points == 0 ? nothing : query.raw(range[0], range[1]);
    } else {
        bins = binned(query, request, make_grid(request, first_x, query.last_x()), points);
    }
    if (bins.ok()) {
        bins->outside = outside;
    }
    return bins;
}

}  // namespace taffrail::model
