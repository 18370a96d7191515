// The fast path against the definition: whatever edges come back, every number must be what a plain
// pass over the points finds on those edges, and no edge may lie further from its place than half a
// bin.
#include "model/bin_query.h"

#include "model/bins.h"
#include "model/memory_segment.h"
#include "model/series_maker.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace taffrail::model {
namespace {

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || a == b;
}

bool near(double a, double b) {
    return same(a, b) || std::abs(a - b) <= 1e-9 * (1 + std::max(std::abs(a), std::abs(b)));
}

/// A series cut into segments at the given points.
struct Pieces {
    struct Piece {
        std::vector<double> x, coarse, value;
        Pyramid pyramid;
        using Segment = MemorySegment<double, std::vector<double>, std::vector<double>>;
        std::unique_ptr<Segment> segment;
    };

    std::vector<std::unique_ptr<Piece>> pieces;
    std::vector<const BinSegment*> segments;

    Pieces(const testing::Series& series, std::vector<std::size_t> ends) {
        ends.push_back(series.x.size());
        std::sort(ends.begin(), ends.end());
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            auto piece = std::make_unique<Piece>();
            for (std::size_t i = begin; i < end; ++i) {
                if (piece->x.size() % node_points(1) == 0) {
                    piece->coarse.push_back(series.x[i]);
                }
                piece->x.push_back(series.x[i]);
                piece->value.push_back(series.value[i]);
            }
            piece->pyramid.extend(piece->value);
            piece->segment = std::make_unique<Piece::Segment>(piece->x, piece->coarse, 0.0,
                                                              piece->value, piece->pyramid);
            segments.push_back(piece->segment.get());
            pieces.push_back(std::move(piece));
            begin = end;
        }
    }
};

void expect_exact(const testing::Series& series, const BinRequest& request, const Bins& bins) {
    RC_ASSERT(bins.edges.size() == (bins.size() == 0 ? 0 : bins.size() + 1));
    RC_ASSERT(std::is_sorted(bins.edges.begin(), bins.edges.end()));
    std::uint64_t without_place = 0, in_range = 0;
    testing::Series placed;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!has_place(series.x[i], request.scale)) {
            ++without_place;
            continue;
        }
        placed.x.push_back(series.x[i]);
        placed.value.push_back(series.value[i]);
        in_range += (!request.from || series.x[i] >= *request.from) &&
                    (!request.to || series.x[i] <= *request.to);
    }
    RC_ASSERT(bins.outside == without_place);
    if (bins.raw) {
        RC_ASSERT(in_range <= kRawPointsPerBin * request.width);
        RC_ASSERT(bins.points == in_range);
        const Bins expected = bins_of_points(series.x, series.value, request).value();
        RC_ASSERT(bins.x == expected.x);
        for (std::size_t i = 0; i < bins.size(); ++i) {
            RC_ASSERT(same(bins.last[i], expected.last[i]));
        }
        return;
    }
    const Bins expected = stats_on_edges(placed.x, placed.value, bins.edges);
    RC_ASSERT(bins.count == expected.count);
    RC_ASSERT(bins.nan_count == expected.nan_count);
    RC_ASSERT(bins.positive_infinity_count == expected.positive_infinity_count);
    RC_ASSERT(bins.negative_infinity_count == expected.negative_infinity_count);
    RC_ASSERT(bins.points == expected.points);
    for (std::size_t i = 0; i < bins.size(); ++i) {
        RC_ASSERT(same(bins.min[i], expected.min[i]));
        RC_ASSERT(same(bins.max[i], expected.max[i]));
        RC_ASSERT(same(bins.last[i], expected.last[i]));
        RC_ASSERT(near(bins.mean[i], expected.mean[i]));
    }
    const BinGrid grid = make_grid(request, placed.x.front(), placed.x.back());
    for (std::size_t i = 0; i < bins.edges.size(); ++i) {
        RC_ASSERT(bins.edges[i] >= grid.earliest[i]);
        RC_ASSERT(bins.edges[i] <= grid.latest[i]);
    }
}

testing::Shape any_shape() {
    testing::Shape shape;
    shape.points = *rc::gen::element<std::size_t>(0, 1, 63, 64, 65, 700, 5'000, 40'000);
    shape.repeat = *rc::gen::element(0.0, 0.3, 0.999, 1.0);
    shape.gap = *rc::gen::element(0.0, 0.01, 0.5);
    shape.special = *rc::gen::element(0.0, 0.001, 0.5, 1.0);
    shape.start = *rc::gen::element(-3000.0, 0.0, 1.0, 1.7e15);
    shape.whole = *rc::gen::arbitrary<bool>();
    return shape;
}

BinRequest any_request(const testing::Series& series) {
    BinRequest request;
    request.scale = *rc::gen::element(Scale::Linear, Scale::Log);
    request.width = *rc::gen::element<std::size_t>(1, 2, 7, 100, 1500);
    const double first = series.x.empty() ? 0 : series.x.front(),
                 last = series.x.empty() ? 1 : series.x.back();
    const auto inside = [&] {
        return first + (last - first) * (*rc::gen::inRange(-100, 1101) / 1000.0);
    };
    const bool has_from = *rc::gen::arbitrary<bool>(), has_to = *rc::gen::arbitrary<bool>();
    double from = inside(), to = inside();
    if (from > to) {
        std::swap(from, to);
    }
    if (has_from) {
        request.from = from;
    }
    if (has_to) {
        request.to = to;
    }
    return request;
}

TEST(QueryBins, EqualsBruteForceOnTheEdgesItReturns) {
    EXPECT_TRUE(rc::check("one segment or several, any shape, any request", [] {
        const testing::Series series =
            testing::make_series(any_shape(), *rc::gen::arbitrary<std::uint32_t>());
        std::vector<std::size_t> ends;
        const int cuts = *rc::gen::inRange(0, 4);
        for (int i = 0; i < cuts; ++i) {
            ends.push_back(*rc::gen::inRange<std::size_t>(0, series.x.size() + 1));
        }
        const Pieces pieces(series, ends);
        for (int i = 0; i < 5; ++i) {
            const BinRequest request = any_request(series);
            expect_exact(series, request, query_bins(pieces.segments, request).value());
        }
    }));
}

TEST(QueryBins, TouchesNoPointWhenNodesAreFineEnough) {
    // Even spacing and 4096 points a bin: every inner edge must fall on a node, else zooming reads
    // raw pages.
    testing::Series series;
    for (int i = 0; i < 1 << 20; ++i) {
        series.x.push_back(i);
        series.value.push_back(std::sin(i));
    }
    const Pieces pieces(series, {});
    const Bins bins =
        query_bins(pieces.segments, {.from = 1000.5, .to = 900'000.5, .width = 200}).value();
    for (std::size_t i = 0; i < bins.edges.size() - 1; ++i) {
        EXPECT_EQ(std::fmod(bins.edges[i], 64), 0) << i;
    }
}

TEST(QueryBins, AnswersAnEmptySeries) {
    const Bins bins = query_bins({}, {}).value();
    EXPECT_TRUE(bins.raw);
    EXPECT_EQ(bins.size(), 0u);
}

}  // namespace
}  // namespace taffrail::model
