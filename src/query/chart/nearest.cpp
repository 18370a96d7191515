#include "query/chart/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

constexpr std::size_t kWidth = 512;
constexpr int kDepth = 8;  // 512⁸ places: far more than an int64 has

class Search {
  public:
    Search(const RecordedRun& run, std::string_view key, Axis axis, double at)
        : run_(run), key_(key), at_(at) {
        request_.axis = axis;
        request_.width = kWidth;
    }

    /// False when the question cannot be answered this way.
    bool within(std::optional<double> from, std::optional<double> to, int depth) {
        request_.from = from;
        request_.to = to;
        const auto answer = run_.bins(key_, request_);
        if (!answer || depth > kDepth) {
            return false;
        }
        const Bins& bins = *answer;
        if (bins.raw) {
            for (std::size_t i = 0; i < bins.size(); ++i) {
                offer(bins.x[i], raw_value(bins, i));
            }
            return true;
        }
        // The nearest point is in the bin around the place or in the next bins on both sides that
        // hold any.
        const auto after = std::ranges::upper_bound(bins.edges, at_) - bins.edges.begin();
        const auto own =
            std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(bins.size()) - 1);
        const auto holds = [&](std::ptrdiff_t i) {
            return bins.count[static_cast<std::size_t>(i)] > 0;
        };
        std::ptrdiff_t left = own - 1, right = own + 1;
        while (left >= 0 && !holds(left)) {
            --left;
        }
        while (right < static_cast<std::ptrdiff_t>(bins.size()) && !holds(right)) {
            ++right;
        }
        for (const std::ptrdiff_t bin : {left, own, right}) {
            if (bin < 0 || bin >= static_cast<std::ptrdiff_t>(bins.size()) || !holds(bin)) {
                continue;
            }
            const double lower = bins.edges[static_cast<std::size_t>(bin)],
                         upper = bins.edges[static_cast<std::size_t>(bin) + 1];
            if (nearest_ && lower > at_ && lower - at_ >= std::abs(nearest_->x - at_)) {
                continue;  // all of it is farther away than what was found
            }
            if (!within(lower, upper, depth + 1)) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] std::optional<NearestPoint> nearest() const { return nearest_; }

  private:
    // Points come in x order, equal ones in log order: only a nearer one takes the place.
    void offer(double x, double value) {
        const double away = std::abs(x - at_);
        if (!nearest_ || away < std::abs(nearest_->x - at_) ||
            (away == std::abs(nearest_->x - at_) && x < nearest_->x)) {
            nearest_ = NearestPoint{x, value};
        }
    }

    const RecordedRun& run_;
    std::string_view key_;
    double at_;
    BinRequest request_;
    std::optional<NearestPoint> nearest_;
};

}  // namespace

double raw_value(const Bins& bins, std::size_t i) {
    if (bins.nan_count[i] > 0) {
        return std::nan("");
    }
    const double infinity = std::numeric_limits<double>::infinity();
    return bins.positive_infinity_count[i] > 0   ? infinity
           : bins.negative_infinity_count[i] > 0 ? -infinity
                                                 : bins.last[i];
}

std::optional<NearestPoint> nearest_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                            double at) {
    Search search(run, key, axis, at);
    return search.within(std::nullopt, std::nullopt, 0) ? search.nearest() : std::nullopt;
}

}  // namespace taffrail::query
