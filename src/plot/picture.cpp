#include "plot/picture.h"

#include "base/try.h"
#include "codec/png.h"
#include "plot/bars.h"

#include <algorithm>
#include <cmath>

namespace taffrail::plot {
namespace {

constexpr double kFine = 2;
constexpr double kMostPixels = 4e8;

double width_of(std::string_view text) {
    return text_width(Face::Text, text) / kFine;
}

std::vector<double> pixels(const AxisMap& axis, const std::vector<double>& values) {
    std::vector<double> places(values.size());
    std::ranges::transform(values, places.begin(),
                           [&](double value) { return axis.pixel(value) * kFine; });
    return places;
}

/// As much of a text as there is room for.
std::string cut(Face face, std::string_view text, double room) {
    if (text_width(face, text) <= room) {
        return std::string(text);
    }
    std::string shown(text);
    while (!shown.empty() && text_width(face, shown + "…") > room) {
        do {
            shown.pop_back();
        } while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80);
        if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xc0) {
            shown.pop_back();
        }
    }
    return shown + "…";
}

void draw_axes(Canvas& canvas, const Chart& chart, const Frame& frame, const ThemeColors& colors) {
    const double left = frame.x.start * kFine, right = frame.x.end * kFine,
                 floor = frame.y.start * kFine;
    canvas.text(left, (frame.top + 21) * kFine, Face::Title, colors.text,
                cut(Face::Title, chart.title, right - left));
    for (std::size_t i = 0; i < frame.y_ticks.size(); ++i) {
        const double y = frame.y.pixel(frame.y_ticks[i]) * kFine;
        canvas.fill(left, y - 1, right, y + 1, mix(colors.ground, colors.text, 0.1));
        canvas.text(left - 14 - text_width(Face::Text, frame.y_labels[i]), y + 8, Face::Text,
                    colors.muted, frame.y_labels[i]);
    }
    canvas.fill(left, floor - 1, right, floor + 1, mix(colors.ground, colors.text, 0.3));
    double free = -1e9;
    for (std::size_t i = 0; i < frame.x_ticks.size(); ++i) {
        const double width = text_width(Face::Text, frame.x_labels[i]);
        const double x =
            std::min(frame.x.pixel(frame.x_ticks[i]) * kFine - width / 2, right + 24 - width);
        if (x > free + 16) {
            canvas.text(x, floor + 32, Face::Text, colors.muted, frame.x_labels[i]);
            free = x + width;
        }
    }
    const double title = text_width(Face::Text, chart.x_title);
    canvas.text((left + right - title) / 2, floor + 68, Face::Text, colors.muted, chart.x_title);
}

void draw_lines(Canvas& canvas, const Chart& chart, const Frame& frame) {
    const Clip clip{frame.x.start * kFine, frame.y.end * kFine - 2, frame.x.end * kFine + 1,
                    frame.y.start * kFine + 2};
    constexpr std::size_t kCalm = 6;  // as svg.cpp
    for (const Line& line : chart.lines) {
        if (chart.lines.size() <= kCalm && line.low.size() == line.x.size() &&
            line.high.size() == line.x.size()) {
            canvas.band(pixels(frame.x, line.x), pixels(frame.y, line.low),
                        pixels(frame.y, line.high), 0.2, line.color, clip);
        }
    }
    for (const Line& line : chart.lines) {
        canvas.stroke(pixels(frame.x, line.x), pixels(frame.y, line.y), 1.5 * kFine, line.color,
                      clip);
    }
}

void draw_bars(Canvas& canvas, const Chart& chart, const std::vector<Bar>& bars,
               const BarPlace& place, const ThemeColors& colors) {
    const double left = place.label * kFine;
    canvas.text(left, (place.top + 21) * kFine, Face::Title, colors.text,
                cut(Face::Title, chart.title, (place.value - place.label) * kFine));
    const BarRows rows = rows_of(bars.size(), place.rows());
    for (std::size_t i = 0; i < rows.shown; ++i) {
        const double y = place.row(i) * kFine;
        canvas.text(left, y + 8, Face::Text, colors.text,
                    cut(Face::Text, bars[i].label, (place.from - place.label - 8) * kFine));
        canvas.fill(place.across(bars[i].from) * kFine, y - 10, place.across(bars[i].to) * kFine,
                    y + 10, bars[i].color);
        canvas.text(place.value * kFine - text_width(Face::Text, bars[i].text), y + 8, Face::Text,
                    colors.text, bars[i].text);
    }
    if (rows.more > 0) {
        canvas.text(left, place.row(rows.shown) * kFine + 8, Face::Text, colors.muted,
                    "and " + std::to_string(rows.more) + " more");
    }
}

}  // namespace

Result<Canvas> draw(const Sheet& sheet) {
    const ThemeColors& colors = theme_colors(sheet.theme);
    const auto legend = legend_of(sheet);
    const SheetLayout layout = layout_of(sheet, legend.size());
    const double width = layout.width * kFine, height = layout.height * kFine;
    if (!(width * height <= kMostPixels)) {
        return Error{ErrorCode::InvalidArgument,
                     "a picture of " + std::to_string(sheet.charts.size()) +
                         " charts would be too large; choose fewer, or write SVG"};
    }
    Canvas canvas(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
                  colors.ground);
    for (std::size_t i = 0; i < sheet.charts.size(); ++i) {
        const double left = sheet.chart_width * static_cast<double>(i % layout.columns),
                     top = sheet.chart_height * static_cast<double>(i / layout.columns);
        if (const std::vector<Bar> bars = bars_of(sheet.charts[i]); !bars.empty()) {
            draw_bars(canvas, sheet.charts[i], bars,
                      {left, top, sheet.chart_width, sheet.chart_height}, colors);
            continue;
        }
        const Frame frame =
            frame_of(sheet.charts[i], left, top, sheet.chart_width, sheet.chart_height, width_of);
        draw_axes(canvas, sheet.charts[i], frame, colors);
        draw_lines(canvas, sheet.charts[i], frame);
    }
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const double x =
            (24 + layout.legend_width * static_cast<double>(i % layout.legend_columns)) * kFine;
        const double y =
            (layout.legend_top + 18 * static_cast<double>(i / layout.legend_columns)) * kFine;
        canvas.fill(x, y + 5, x + 36, y + 11, legend[i].second);
        canvas.text(x + 52, y + 16, Face::Text, colors.text,
                    cut(Face::Text, legend[i].first, layout.legend_width * kFine - 60));
    }
    return canvas;
}

Result<Bytes> to_png(const Sheet& sheet) {
    TAFFRAIL_ASSIGN(const Canvas canvas, draw(sheet));
    return encode_png(reinterpret_cast<const std::byte*>(canvas.pixels().data()), canvas.width(),
                      canvas.height(), 3, 8, PngLevel::Small);
}

}  // namespace taffrail::plot
