#include "model/series_summary.h"

#include "model/bin_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::model {

void add_values(SeriesSummary& summary, std::span<const double> values,
                const NumberSums& sums) noexcept {
    summary.count += values.size();
    if (values.empty()) {
        return;
    }
    if (sums.all_finite) {
        summary.min = std::fmin(summary.min, sums.min);
        summary.max = std::fmax(summary.max, sums.max);
        summary.sum += sums.sum;
        summary.last = values.back();
        return;
    }
    BinStats stats;
    for (const double value : values) {
        stats.add(value);
    }
    summary.nan_count += stats.nan_count;
    summary.positive_infinity_count += stats.positive_infinity_count;
    summary.negative_infinity_count += stats.negative_infinity_count;
    if (stats.has_finite()) {
        summary.min = std::fmin(summary.min, stats.min);
        summary.max = std::fmax(summary.max, stats.max);
        summary.sum += stats.sum;
        summary.last = stats.last;
    }
}

void add_values(SeriesSummary& summary, std::span<const double> values) noexcept {
    add_values(summary, values, sums_of(values));
}

void add_steps(SeriesSummary& summary, Step smallest, Step largest) noexcept {
    const bool fresh = summary.count == 0;
    summary.first_step = fresh ? smallest : std::min(summary.first_step, smallest);
    summary.last_step = fresh ? largest : std::max(summary.last_step, largest);
}

void add_point(SeriesSummary& summary, double value, Step step, std::int64_t time_ns) noexcept {
    if (summary.count == 0) {
        summary.first_time_ns = time_ns;
    }
    add_steps(summary, step, step);
    summary.last_time_ns = time_ns;
    add_values(summary, {&value, 1});
}

SeriesSummary summary_without(std::span<const Point> points, const std::vector<bool>& left_out) {
    SeriesSummary summary;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (left_out.empty() || !left_out[i]) {
            add_point(summary, points[i].value, points[i].step, points[i].time_ns);
        }
    }
    return summary;
}

void merge(SeriesSummary& into, const SeriesSummary& other) noexcept {
    if (other.count == 0) {
        return;
    }
    if (into.count == 0) {
        into = other;
        return;
    }
    const bool ends_later = other.last_time_ns >= into.last_time_ns;
    if (other.finite_count() > 0 && (ends_later || into.finite_count() == 0)) {
        into.last = other.last;
    }
    add_steps(into, other.first_step, other.last_step);
    into.count += other.count;
    into.nan_count += other.nan_count;
    into.positive_infinity_count += other.positive_infinity_count;
    into.negative_infinity_count += other.negative_infinity_count;
    into.min = std::fmin(into.min, other.min);
    into.max = std::fmax(into.max, other.max);
    into.sum += other.sum;
    into.first_time_ns = std::min(into.first_time_ns, other.first_time_ns);
    into.last_time_ns = std::max(into.last_time_ns, other.last_time_ns);
}

SeriesSummary merged(std::vector<SeriesSummary> parts) {
    std::ranges::stable_sort(parts, {}, &SeriesSummary::last_time_ns);
    SeriesSummary all;
    for (const SeriesSummary& part : parts) {
        merge(all, part);
    }
    return all;
}

bool is_of_all_points(const SeriesSummary& summary) noexcept {
    return summary.finite_count() > 0 &&
           (std::isinf(summary.min) || std::isinf(summary.max) || !std::isfinite(summary.last));
}

void clear_numbers_of_nothing(SeriesSummary& summary) noexcept {
    if (summary.finite_count() == 0) {
        summary.min = summary.max = summary.last = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace taffrail::model
