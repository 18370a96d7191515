#include "query/chart/point_rank.h"

#include "query/chart/nearest.h"

#include <algorithm>
#include <cmath>

namespace taffrail::query {
namespace {

constexpr std::size_t kRankWidth = 512;
constexpr int kRankDepth = 8;

/// A stretch of the axis that gets narrower; `before` points lie ahead of it.
struct Stretch {
    std::optional<double> from, to;
    std::uint64_t before = 0;
};

/// Bins of a stretch; nothing when their outer edges are not those asked for, since then `before`
/// would be wrong.
std::optional<Bins> look(const RecordedRun& run, std::string_view key, Axis axis,
                         const Stretch& stretch) {
    BinRequest request;
    request.axis = axis;
    request.width = kRankWidth;
    request.from = stretch.from;
    request.to = stretch.to;
    auto bins = run.bins(key, request);
    if (!bins || bins->size() == 0 ||
        (!bins->raw && stretch.from && bins->edges.front() != *stretch.from)) {
        return std::nullopt;
    }
    return *std::move(bins);
}

void narrow(Stretch& stretch, const Bins& bins, std::size_t bin) {
    for (std::size_t i = 0; i < bin; ++i) {
        stretch.before += bins.count[i];
    }
    stretch.from = bins.edges[bin];
    stretch.to = bins.edges[bin + 1];
}

/// Too narrow to be divided: every point in it is in one place.
bool is_one_place(const Stretch& stretch) {
    return stretch.from && stretch.to &&
           *stretch.to - *stretch.from <= 1e-12 * std::max(1.0, std::abs(*stretch.to));
}

}  // namespace

std::optional<std::uint64_t> rank_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                          double x) {
    Stretch stretch;
    for (int depth = 0; depth <= kRankDepth; ++depth) {
        const auto bins = look(run, key, axis, stretch);
        if (!bins) {
            return std::nullopt;
        }
        if (bins->raw) {
            return stretch.before + static_cast<std::uint64_t>(std::ranges::count_if(
                                        bins->x, [&](double other) { return other < x; }));
        }
        const auto after = std::ranges::upper_bound(bins->edges, x) - bins->edges.begin();
        narrow(stretch, *bins,
               static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                   after - 1, 0, static_cast<std::ptrdiff_t>(bins->size()) - 1)));
        if (is_one_place(stretch)) {
            return stretch.before;
        }
    }
    return std::nullopt;
}

std::optional<RankedPoint> point_by_rank(const RecordedRun& run, std::string_view key, Axis axis,
                                         std::uint64_t rank, std::uint64_t total) {
    Stretch stretch;
    for (int depth = 0; depth <= kRankDepth; ++depth) {
        const auto bins = look(run, key, axis, stretch);
        if (!bins || (depth == 0 && bins->points != total)) {
            return std::nullopt;
        }
        std::uint64_t left = rank - stretch.before;
        if (bins->raw) {
            return left < bins->size()
                       ? std::optional(RankedPoint{bins->x[left], raw_value(*bins, left)})
                       : std::nullopt;
        }
        std::size_t bin = 0;
        while (bin < bins->size() && left >= bins->count[bin]) {
            left -= bins->count[bin++];
        }
        if (bin == bins->size()) {
            return std::nullopt;
        }
        narrow(stretch, *bins, bin);
        if (is_one_place(stretch)) {
            // The place itself is one of two neighbouring numbers; people write short ones.
            return RankedPoint{std::round(*stretch.to * 1e9) / 1e9, std::nullopt};
        }
    }
    return std::nullopt;
}

}  // namespace taffrail::query
