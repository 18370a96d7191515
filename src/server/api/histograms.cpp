// POST histograms:query: the histograms of a key over its steps on one value grid.
#include "server/api/api.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace taffrail::server {
namespace {

// Basis points of the normal deviations -1.5 … 1.5, as TensorBoard's distributions show them.
constexpr std::array<double, 9> kPercentiles{0,      0.0668, 0.1587, 0.3085, 0.5,
                                             0.6915, 0.8413, 0.9332, 1};

struct Grid {
    std::vector<double> edges;
};

double symlog(double x) {
    return std::copysign(std::log10(1 + std::abs(x)), x);
}

double inverse_symlog(double y) {
    return std::copysign(std::pow(10, std::abs(y)) - 1, y);
}

Grid make_grid(double low, double high, std::size_t bins, bool is_symlog) {
    Grid grid;
    if (!(low < high)) {
        const double pad = low == 0 ? 0.5 : std::abs(low) * 0.05;
        low -= pad;
        high += pad;
    }
    const double from = is_symlog ? symlog(low) : low, to = is_symlog ? symlog(high) : high;
    for (std::size_t i = 0; i <= bins; ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(bins);
        const double at = from * (1 - t) + to * t;
        grid.edges.push_back(is_symlog ? inverse_symlog(at) : at);
    }
    grid.edges.front() = std::min(grid.edges.front(), low);
    grid.edges.back() = std::max(grid.edges.back(), high);
    return grid;
}

// Moves counts to the grid in proportion to the overlap of the bins; a bin without width goes to
// the one that holds it.
void spread(const Histogram& histogram, const Grid& grid, std::vector<double>& counts) {
    for (std::size_t i = 0; i + 1 < histogram.edges.size() && i < histogram.counts.size(); ++i) {
        const double left = histogram.edges[i], right = histogram.edges[i + 1],
                     count = histogram.counts[i];
        if (count == 0) {
            continue;
        }
        auto at = static_cast<std::size_t>(
            std::upper_bound(grid.edges.begin(), grid.edges.end(), left) - grid.edges.begin());
        at = std::clamp<std::size_t>(at, 1, counts.size()) - 1;
        if (!(right > left)) {
            counts[at] += count;
            continue;
        }
        // In halves: a bin from -1e308 to 1e308 is wider than a double holds.
        const double width = right / 2 - left / 2;
        for (; at < counts.size() && grid.edges[at] < right; ++at) {
            const double overlap =
                std::min(right, grid.edges[at + 1]) / 2 - std::max(left, grid.edges[at]) / 2;
            if (overlap > 0) {
                counts[at] += count * (overlap / width);
            }
        }
    }
}

double percentile(const std::vector<double>& edges, const std::vector<double>& counts,
                  double fraction) {
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (total <= 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double target = fraction * total;
    double below = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0 && below + counts[i] >= target) {
            return std::lerp(edges[i], edges[i + 1],
                             std::clamp((target - below) / counts[i], 0.0, 1.0));
        }
        below += counts[i];
    }
    return edges.back();
}

void write_column(JsonWriter& json, const std::vector<taffrail::Entry>& entries, std::size_t first,
                  std::size_t last, const Grid& grid) {
    std::vector<double> counts(grid.edges.size() - 1, 0);
    Histogram sum;
    double total = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = first; i < last; ++i) {
        const auto& histogram = std::get<Histogram>(*entries[i].value);
        spread(histogram, grid, counts);
        sum.nan_count += histogram.nan_count;
        sum.positive_infinity_count += histogram.positive_infinity_count;
        sum.negative_infinity_count += histogram.negative_infinity_count;
        sum.sum += histogram.sum;
        sum.sum_squares += histogram.sum_squares;
        total += std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0);
        if (!histogram.counts.empty()) {
            low = std::min(low, histogram.min);
            high = std::max(high, histogram.max);
        }
    }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double mean = total > 0 ? sum.sum / total : nan;
    const double deviation =
        total > 0 ? std::sqrt(std::max(0.0, sum.sum_squares / total - mean * mean)) : nan;
    json.begin_object()
        .member("first_step", entries[first].step)
        .member("last_step", entries[last - 1].step)
        .member("entries", last - first);
    json.key("counts").begin_array();
    for (double count : counts) {
        json.value(count);
    }
    json.end_array()
        .member("nan", sum.nan_count)
        .member("positive_infinity", sum.positive_infinity_count)
        .member("negative_infinity", sum.negative_infinity_count);
    json.member("min", total > 0 ? low : nan)
        .member("max", total > 0 ? high : nan)
        .member("mean", mean)
        .member("std", deviation);
    const auto& own = std::get<Histogram>(*entries[first].value);
    const bool single =
        last - first == 1 && own.edges.size() == own.counts.size() + 1 && !own.counts.empty();
    json.key("percentiles").begin_array();
    for (double fraction : kPercentiles) {
        json.value(single ? percentile(own.edges, own.counts, fraction)
                          : percentile(grid.edges, counts, fraction));
    }
    json.end_array().end_object();
}

struct Found {
    std::string run;
    std::vector<taffrail::Entry> entries;
};

Response histograms(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const auto runs = string_list(body, "runs", 1000), keys = string_list(body, "keys", 1000);
    const auto width =
        static_cast<std::size_t>(std::clamp<std::int64_t>(body.integer_or("width", 200), 1, 4096));
    const auto bins =
        static_cast<std::size_t>(std::clamp<std::int64_t>(body.integer_or("bins", 48), 1, 1024));
    const double from = body.number_or("from", -std::numeric_limits<double>::infinity()),
                 to = body.number_or("to", std::numeric_limits<double>::infinity());
    JsonWriter json;
    json.begin_object()
        .member("revision", context.workspace->revision())
        .key("series")
        .begin_array();
    for (const std::string& key : keys) {
        std::vector<Found> found;
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const std::string& id : runs) {
            const auto details = context.workspace->details(id);
            const KeyInfo* info = details ? details->key(key) : nullptr;
            if (info == nullptr || info->kind != Kind::Histogram) {
                continue;
            }
            auto entries = find_run(context, id)->entries(key);
            if (!entries) {
                continue;
            }
            std::erase_if(*entries, [&](const auto& entry) {
                return static_cast<double>(entry.step) < from ||
                       static_cast<double>(entry.step) > to ||
                       std::get_if<Histogram>(entry.value.get()) == nullptr;
            });
            // Columns stand in the order of their steps, whatever order they were logged in.
            std::ranges::stable_sort(*entries, {}, &taffrail::Entry::step);
            for (const auto& entry : *entries) {
                const auto& histogram = std::get<Histogram>(*entry.value);
                if (!histogram.edges.empty()) {
                    low = std::min(low, histogram.edges.front());
                    high = std::max(high, histogram.edges.back());
                }
            }
            found.push_back({id, *std::move(entries)});
        }
        const Grid grid = make_grid(low <= high ? low : 0, low <= high ? high : 1, bins,
                                    body.string_or("y_scale", "linear") == "symlog");
        for (const Found& series : found) {
            json.begin_object()
                .member("run", series.run)
                .member("key", key)
                .member("total", series.entries.size())
                .key("edges")
                .begin_array();
            for (double edge : grid.edges) {
                json.value(edge);
            }
            json.end_array().key("columns").begin_array();
            const std::size_t count = series.entries.size(), columns = std::min(width, count);
            for (std::size_t c = 0; c < columns; ++c) {
                write_column(json, series.entries, c * count / columns, (c + 1) * count / columns,
                             grid);
            }
            json.end_array().end_object();
        }
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_histogram_routes(Router& router, const ApiContext& context) {
    router.post("histograms:query", RouteKind::Read, guarded([&context](const Request& request) {
                    return histograms(context, request);
                }));
}

}  // namespace taffrail::server
