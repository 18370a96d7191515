#include "plot/chart.h"

#include "plot/bars.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace taffrail::plot {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

struct Extent {
    double from = std::numeric_limits<double>::infinity(),
           to = -std::numeric_limits<double>::infinity();

    void add(double value, Scale scale) {
        if (std::isfinite(value) && (scale != Scale::Log || value > 0)) {
            from = std::min(from, value);
            to = std::max(to, value);
        }
    }

    [[nodiscard]] bool known() const { return from <= to; }
};

}  // namespace

Range x_range(const Chart& chart) {
    Extent extent;
    for (const Line& line : chart.lines) {
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            if (!std::isnan(line.y[i])) {
                extent.add(line.x[i], chart.x_scale);
            }
        }
    }
    if (!extent.known()) {
        return chart.x_scale == Scale::Log ? Range{0.1, 1} : Range{0, 1};
    }
    if (extent.from == extent.to) {
        return chart.x_scale == Scale::Log ? Range{extent.from / 2, extent.from * 2}
                                           : Range{extent.from - 0.5, extent.from + 0.5};
    }
    return {extent.from, extent.to};
}

Range y_range(const Chart& chart) {
    Extent extent;
    for (const Line& line : chart.lines) {
        for (const std::vector<double>* values : {&line.y, &line.low, &line.high}) {
            for (const double value : *values) {
                extent.add(value, chart.y_scale);
            }
        }
    }
    if (!extent.known()) {
        return chart.y_scale == Scale::Log ? Range{0.1, 1} : Range{0, 1};
    }
    // Air in axis space; a constant series stands in the middle.
    double a = to_axis(chart.y_scale, extent.from), b = to_axis(chart.y_scale, extent.to);
    if (b - a <= 1e-14 * std::max(std::abs(a), std::abs(b))) {
        const double half = chart.y_scale != Scale::Linear ? 0.5 : a != 0 ? std::abs(a) * 0.1 : 1;
        a -= half;
        b += half;
    } else {
        const double air = b * 0.05 - a * 0.05;
        a -= air;
        b += air;
    }
    const double least =
        chart.y_scale == Scale::Log ? std::numeric_limits<double>::denorm_min() : -kLargest;
    const auto finite = [&](double value) { return std::clamp(value, least, kLargest); };
    return {finite(from_axis(chart.y_scale, a)), finite(from_axis(chart.y_scale, b))};
}

std::vector<std::pair<std::string, Color>> legend_of(const Sheet& sheet) {
    std::vector<std::pair<std::string, Color>> legend;
    std::set<std::string> known;
    for (const Chart& chart : sheet.charts) {
        if (!bars_of(chart).empty()) {
            continue;  // they have their names beside them
        }
        for (const Line& line : chart.lines) {
            if (known.insert(line.label).second) {
                legend.emplace_back(line.label, line.color);
            }
        }
    }
    return legend;
}

SheetLayout layout_of(const Sheet& sheet, std::size_t legend_entries) {
    SheetLayout layout;
    layout.columns = std::clamp<std::size_t>(sheet.charts.size(), 1, sheet.columns);
    const std::size_t rows =
        std::max<std::size_t>(1, (sheet.charts.size() + layout.columns - 1) / layout.columns);
    layout.width = sheet.chart_width * static_cast<double>(layout.columns);
    layout.legend_top = sheet.chart_height * static_cast<double>(rows) + 8;
    layout.legend_columns = std::max<std::size_t>(
        1, static_cast<std::size_t>((layout.width - 32) / layout.legend_width));
    const std::size_t lines = (legend_entries + layout.legend_columns - 1) / layout.legend_columns;
    layout.height = layout.legend_top + 18 * static_cast<double>(lines) + 12;
    return layout;
}

}  // namespace taffrail::plot
