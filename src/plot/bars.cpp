#include "plot/bars.h"

#include "plot/decimal_text.h"
#include "plot/number_text.h"

#include <algorithm>
#include <cmath>

namespace taffrail::plot {
namespace {

/// Four digits, zeros at the end too, so that values below each other line up.
std::string value_text(double value) {
    const double size = std::abs(value);
    if (value == std::floor(value) || size < 1e-3 || size >= 1e4) {
        return number_text(value);
    }
    const std::string text = precise_text(value, 4);
    return text.find('e') == std::string::npos ? grouped(text) : number_text(value);
}

}  // namespace

std::vector<Bar> bars_of(const Chart& chart) {
    std::vector<const Line*> lines;
    for (const Line& line : chart.lines) {
        if (line.y.size() > 1) {
            return {};
        }
        if (!line.y.empty() && std::isfinite(line.y.front())) {
            lines.push_back(&line);
        }
    }
    std::ranges::stable_sort(lines, [&](const Line* a, const Line* b) {
        return chart.smaller_is_better ? a->y.front() < b->y.front() : a->y.front() > b->y.front();
    });
    double least = 0, most = 0;
    for (const Line* line : lines) {
        least = std::min(least, line->y.front());
        most = std::max(most, line->y.front());
    }
    // Halves: the whole span may be more than a double holds.
    const auto share = [&](double value) {
        return most > least ? (value / 2 - least / 2) / (most / 2 - least / 2) : 0;
    };
    std::vector<Bar> bars;
    for (const Line* line : lines) {
        const double value = line->y.front();
        bars.push_back({line->label, line->color, value_text(value), share(std::min(0.0, value)),
                        share(std::max(0.0, value))});
    }
    return bars;
}

BarRows rows_of(std::size_t bars, std::size_t room) {
    if (bars <= room) {
        return {bars, 0};
    }
    const std::size_t shown = std::max<std::size_t>(room, 2) - 1;
    return {shown, bars - shown};
}

}  // namespace taffrail::plot
