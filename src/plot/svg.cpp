#include "plot/svg.h"

#include "plot/bars.h"
#include "plot/decimal_text.h"
#include "plot/font.h"

#include <algorithm>
#include <cmath>

namespace taffrail::plot {
namespace {

/// Text of a run inside markup: nothing in it is a tag, and no control character is left.
std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'') {
            safe += "&#" + std::to_string(static_cast<int>(c)) + ";";
        } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') {
            safe += c;
        }
    }
    return safe;
}

/// A tenth of a pixel is enough.
std::string place(double value) {
    return trimmed(fixed_text(std::clamp(std::floor(value * 10 + 0.5) / 10, -1e5, 1e5), 1));
}

std::string text_at(double x, double y, std::string_view anchor, Color color, std::string_view text,
                    std::string_view more = "") {
    return "<text x=\"" + place(x) + "\" y=\"" + place(y) + "\" text-anchor=\"" +
           std::string(anchor) + "\" fill=\"" + hex_of(color) + "\"" + std::string(more) + ">" +
           escaped(text) + "</text>\n";
}

std::string line_path(const Frame& frame, const Line& line) {
    std::string path;
    bool pen = false;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        const double x = frame.x.pixel(line.x[i]), y = frame.y.pixel(line.y[i]);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            pen = false;
            continue;
        }
        path += (pen ? "L" : "M") + place(x) + " " + place(y);
        pen = true;
    }
    // A point without neighbours would have no length to be seen by.
    if (line.x.size() == 1 && pen) {
        path += "h.01";
    }
    return path;
}

std::string band_path(const Frame& frame, const Line& line) {
    if (line.low.size() != line.x.size() || line.high.size() != line.x.size()) {
        return {};
    }
    std::string path, back;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        const double x = frame.x.pixel(line.x[i]), a = frame.y.pixel(line.low[i]),
                     b = frame.y.pixel(line.high[i]);
        if (std::isfinite(x) && std::isfinite(a) && std::isfinite(b)) {
            path += (path.empty() ? "M" : "L") + place(x) + " " + place(b);
            back = "L" + place(x) + " " + place(a) + back;
        }
    }
    return path.empty() ? path : path + back + "Z";
}

void write_chart(std::string& out, const Chart& chart, const Frame& frame, Theme theme,
                 std::size_t number) {
    const ThemeColors& colors = theme_colors(theme);
    const std::string grid = hex_of(mix(colors.ground, colors.text, 0.1));
    const std::string from = place(frame.x.start), to = place(frame.x.end);
    out += text_at(frame.x.start, frame.top + 21, "start", colors.text, chart.title,
                   " font-size=\"14\" font-weight=\"600\"");
    for (std::size_t i = 0; i < frame.y_ticks.size(); ++i) {
        const double y = frame.y.pixel(frame.y_ticks[i]);
        out += "<path d=\"M" + from + " " + place(y) + "H" + to + "\" stroke=\"" + grid + "\"/>";
        out += text_at(frame.x.start - 7, y + 4, "end", colors.muted, frame.y_labels[i]);
    }
    out += "<path d=\"M" + from + " " + place(frame.y.start) + "H" + to + "\" stroke=\"" +
           hex_of(mix(colors.ground, colors.text, 0.3)) + "\"/>";
    for (std::size_t i = 0; i < frame.x_ticks.size(); ++i) {
        out += text_at(frame.x.pixel(frame.x_ticks[i]), frame.y.start + 16, "middle", colors.muted,
                       frame.x_labels[i]);
    }
    out += text_at((frame.x.start + frame.x.end) / 2, frame.y.start + 34, "middle", colors.muted,
                   chart.x_title);
    const std::string clip = "plot" + std::to_string(number);
    out += "<clipPath id=\"" + clip + "\"><rect x=\"" + from + "\" y=\"" + place(frame.y.end - 1) +
           "\" width=\"" + place(frame.x.end - frame.x.start) + "\" height=\"" +
           place(frame.y.start - frame.y.end + 2) + "\"/></clipPath><g clip-path=\"url(#" + clip +
           ")\" fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" "
           "stroke-linecap=\"round\">\n";
    // Few lines have room for what their bins hold; of many it would be mud.
    constexpr std::size_t kCalm = 6;
    if (chart.lines.size() <= kCalm) {
        for (const Line& line : chart.lines) {
            if (const std::string band = band_path(frame, line); !band.empty()) {
                out += "<path d=\"" + band + "\" stroke=\"none\" fill=\"" + hex_of(line.color) +
                       "\" fill-opacity=\"0.2\"/>\n";
            }
        }
    }
    for (const Line& line : chart.lines) {
        if (const std::string path = line_path(frame, line); !path.empty()) {
            out += "<path d=\"" + path + "\" stroke=\"" + hex_of(line.color) + "\"/>\n";
        }
    }
    out += "</g>\n";
}

/// Whoever shows the file has another font: about as many letters as there is room for.
std::string cut(std::string_view text, std::size_t letters) {
    if (letters_of(text).size() <= letters) {
        return std::string(text);
    }
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
        if (begins && ++seen == letters) {
            break;
        }
    }
    return std::string(text.substr(0, end)) + "…";
}

void write_bars(std::string& out, const std::vector<Bar>& bars, const BarPlace& place_of,
                Theme theme) {
    const ThemeColors& colors = theme_colors(theme);
    const BarRows rows = rows_of(bars.size(), place_of.rows());
    for (std::size_t i = 0; i < rows.shown; ++i) {
        const Bar& bar = bars[i];
        const double y = place_of.row(i);
        out += text_at(place_of.label, y + 4, "start", colors.text, cut(bar.label, 24));
        out += "<rect x=\"" + place(place_of.across(bar.from)) + "\" y=\"" + place(y - 5) +
               "\" width=\"" + place(place_of.across(bar.to) - place_of.across(bar.from)) +
               "\" height=\"10\" rx=\"2\" fill=\"" + hex_of(bar.color) + "\"/>";
        out += text_at(place_of.value, y + 4, "end", colors.text, bar.text);
    }
    if (rows.more > 0) {
        out += text_at(place_of.label, place_of.row(rows.shown) + 4, "start", colors.muted,
                       "and " + std::to_string(rows.more) + " more");
    }
}

}  // namespace

std::string to_svg(const Sheet& sheet) {
    const ThemeColors& colors = theme_colors(sheet.theme);
    const auto legend = legend_of(sheet);
    const SheetLayout layout = layout_of(sheet, legend.size());
    const std::string size =
        "width=\"" + place(layout.width) + "\" height=\"" + place(layout.height) + "\"";
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " +
                      place(layout.width) + " " + place(layout.height) +
                      "\" font-family=\"Inter, DejaVu Sans, Helvetica, Arial, sans-serif\" "
                      "font-size=\"11\">\n<rect " +
                      size + " fill=\"" + hex_of(colors.ground) + "\"/>\n";
    for (std::size_t i = 0; i < sheet.charts.size(); ++i) {
        const double left = sheet.chart_width * static_cast<double>(i % layout.columns),
                     top = sheet.chart_height * static_cast<double>(i / layout.columns);
        if (const std::vector<Bar> bars = bars_of(sheet.charts[i]); !bars.empty()) {
            const BarPlace bar_place{left, top, sheet.chart_width, sheet.chart_height};
            out += text_at(bar_place.label, top + 21, "start", colors.text, sheet.charts[i].title,
                           " font-size=\"14\" font-weight=\"600\"");
            write_bars(out, bars, bar_place, sheet.theme);
            continue;
        }
        const Frame frame = frame_of(
            sheet.charts[i], left, top, sheet.chart_width, sheet.chart_height,
            [](const std::string& text) { return 6.4 * static_cast<double>(text.size()); });
        write_chart(out, sheet.charts[i], frame, sheet.theme, i);
    }
    for (std::size_t i = 0; i < legend.size(); ++i) {
        const double x = 24 + layout.legend_width * static_cast<double>(i % layout.legend_columns),
                     y = layout.legend_top + 18 * static_cast<double>(i / layout.legend_columns);
        out += "<path d=\"M" + place(x) + " " + place(y + 4) + "h18\" stroke=\"" +
               hex_of(legend[i].second) + "\" stroke-width=\"3\"/>";
        out += text_at(x + 26, y + 8, "start", colors.text, legend[i].first);
    }
    return out + "</svg>\n";
}

}  // namespace taffrail::plot
