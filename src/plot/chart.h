// A line chart without a browser: what it shows, and where everything stands on it.
#pragma once

#include "plot/palette.h"
#include "plot/ticks.h"

#include <string>
#include <vector>

namespace taffrail::plot {

/// One line. NaN in `y` lifts the pen; `low` and `high` are the values a bin stands for, or empty.
struct Line {
    std::string label;
    Color color;
    std::vector<double> x, y, low, high;
};

struct Chart {
    std::string title, x_title;
    AxisUnit x_unit = AxisUnit::Number;
    bool whole_x = true;  ///< x counts steps
    bool smaller_is_better = false;
    Scale x_scale = Scale::Linear, y_scale = Scale::Linear;
    std::vector<Line> lines;
};

/// Finite numbers with a little air; what a chart without any shows is 0 to 1.
struct Range {
    double from = 0, to = 1;
};

Range x_range(const Chart& chart);
Range y_range(const Chart& chart);

/// The picture of one chart, in pixels of a page.
struct Frame {
    double left = 0, top = 0, width = 0, height = 0;  ///< everything
    AxisMap x, y;                                     ///< the plot itself
    std::vector<double> x_ticks, y_ticks;
    std::vector<std::string> x_labels, y_labels;
};

/// `label_width`: how wide a text is.
template <typename Width>
Frame frame_of(const Chart& chart, double left, double top, double width, double height,
               Width label_width) {
    const Range x = x_range(chart), y = y_range(chart);
    Frame frame{left, top, width, height, {}, {}, {}, {}, {}, {}};
    const double head = 34, foot = 42;
    frame.y = {chart.y_scale, y.from, y.to, top + height - foot, top + head};
    frame.y_ticks = ticks(chart.y_scale, y.from, y.to,
                          std::max(2, static_cast<int>((height - head - foot) / 36)));
    frame.y_labels = tick_texts(frame.y_ticks);
    double room = 30;
    for (const std::string& label : frame.y_labels) {
        room = std::max(room, label_width(label));
    }
    frame.x = {chart.x_scale, x.from, x.to, left + std::min(room + 18, width / 2),
               left + width - 16};
    frame.x_ticks = axis_ticks(chart.x_unit, chart.x_scale, x.from, x.to,
                               std::max(2, static_cast<int>((frame.x.end - frame.x.start) / 72)),
                               chart.whole_x);
    frame.x_labels = axis_texts(chart.x_unit, frame.x_ticks);
    return frame;
}

/// Several charts beside and below each other, with one legend for all of them.
struct Sheet {
    std::vector<Chart> charts;
    Theme theme = Theme::Light;
    double chart_width = 560, chart_height = 320;
    std::size_t columns = 2;
};

/// Label and colour of every line of the sheet, each once; bars have their names beside them.
std::vector<std::pair<std::string, Color>> legend_of(const Sheet& sheet);

/// Where charts and legend of a sheet stand.
struct SheetLayout {
    std::size_t columns = 1, legend_columns = 1;
    double width = 0, height = 0, legend_top = 0, legend_width = 240;
};

SheetLayout layout_of(const Sheet& sheet, std::size_t legend_entries);

}  // namespace taffrail::plot
