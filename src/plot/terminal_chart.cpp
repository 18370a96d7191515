#include "plot/terminal_chart.h"

#include "plot/bars.h"
#include "plot/font.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail::plot {
namespace {

/// Columns of a text on a terminal, for labels that are made here.
std::size_t columns_of(std::string_view text) {
    return letters_of(text).size();
}

std::string painted(const TerminalLooks& looks, Color color, std::string_view text) {
    if (!looks.color) {
        return std::string(text);
    }
    return "\x1b[38;2;" + std::to_string(color.red) + ";" + std::to_string(color.green) + ";" +
           std::to_string(color.blue) + "m" + std::string(text) + "\x1b[0m";
}

std::string utf8_of(char32_t letter) {
    return {static_cast<char>(0xe0 | letter >> 12), static_cast<char>(0x80 | (letter >> 6 & 63)),
            static_cast<char>(0x80 | (letter & 63))};
}

/// Two columns and four rows of dots a cell with braille, one dot a cell without.
class Dots {
  public:
    Dots(std::size_t columns, std::size_t rows, bool braille)
        : columns_(columns), rows_(rows), braille_(braille), cells_(columns * rows) {}

    [[nodiscard]] double width() const {
        return static_cast<double>(columns_ * (braille_ ? 2 : 1));
    }

    [[nodiscard]] double height() const { return static_cast<double>(rows_ * (braille_ ? 4 : 1)); }

    void set(double x, double y, std::size_t line) {
        if (!(x >= 0 && y >= 0 && x < width() && y < height())) {
            return;
        }
        const auto px = static_cast<std::size_t>(x), py = static_cast<std::size_t>(y);
        Cell& cell = cells_[braille_ ? py / 4 * columns_ + px / 2 : py * columns_ + px];
        // Bits of a braille cell: three rows of two, then a fourth row below them.
        const std::size_t row = py % 4, column = px % 2;
        cell.bits |= row < 3 ? 1U << (row + 3 * column) : 64U << column;
        cell.line = line;
    }

    /// Every dot between two places.
    void segment(double x0, double y0, double x1, double y1, std::size_t line) {
        const double steps = std::ceil(std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1.0}));
        for (double i = 0; i <= std::min(steps, 1e5); ++i) {
            set(std::floor(x0 + (x1 - x0) * i / steps), std::floor(y0 + (y1 - y0) * i / steps),
                line);
        }
    }

    [[nodiscard]] std::string row(std::size_t number, const Chart& chart,
                                  const TerminalLooks& looks) const {
        constexpr std::string_view kMarks = "*+ox#@%&=~";
        std::string text;
        for (std::size_t i = 0; i < columns_; ++i) {
            const Cell& cell = cells_[number * columns_ + i];
            if (cell.bits == 0) {
                text += ' ';
            } else if (braille_) {
                text += painted(looks, chart.lines[cell.line].color, utf8_of(0x2800 | cell.bits));
            } else {
                text += painted(looks, chart.lines[cell.line].color,
                                std::string(1, kMarks[cell.line % kMarks.size()]));
            }
        }
        return text;
    }

    static char mark(std::size_t line) { return "*+ox#@%&=~"[line % 10]; }

  private:
    struct Cell {
        unsigned bits = 0;
        std::size_t line = 0;
    };

    std::size_t columns_, rows_;
    bool braille_;
    std::vector<Cell> cells_;
};

void put(std::string& row, std::size_t at, std::string_view text) {
    if (row.size() < at + text.size()) {
        row.resize(at + text.size(), ' ');
    }
    row.replace(at, text.size(), text);
}

/// Labels under the axis, where there is room for them. Labels are ASCII but for µ and –.
std::string x_labels(const AxisMap& x, const std::vector<double>& places,
                     const std::vector<std::string>& labels) {
    std::string row;
    std::size_t free = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double middle = x.pixel(places[i]);
        const double width = static_cast<double>(columns_of(labels[i]));
        const auto at = static_cast<std::size_t>(
            std::clamp(middle - width / 2, x.start, std::max(x.start, x.end - width)));
        if (at >= free && labels[i].size() == columns_of(labels[i])) {
            put(row, at, labels[i]);
            free = at + labels[i].size() + 2;
        }
    }
    return row;
}

std::string legend(const Chart& chart, const TerminalLooks& looks) {
    std::string text, row;
    std::size_t used = 0;
    for (std::size_t i = 0; i < chart.lines.size(); ++i) {
        const std::string& label = chart.lines[i].label;
        const std::size_t width = columns_of(label) + 4;
        if (used > 0 && used + width > looks.columns) {
            text += row + "\n";
            row.clear();
            used = 0;
        }
        const std::string mark = looks.utf8 ? "━━" : std::string(2, Dots::mark(i));
        row += " " + painted(looks, chart.lines[i].color, mark) + " " + label;
        used += width;
    }
    return text + row + (row.empty() ? "" : "\n");
}

/// A bar of this many columns, to an eighth of one where there are letters for it.
std::string blocks(double columns, bool utf8) {
    constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto eighths = static_cast<std::size_t>(std::lround(std::max(0.0, columns) * 8));
    std::string text;
    for (std::size_t i = 0; i < (utf8 ? eighths / 8 : (eighths + 4) / 8); ++i) {
        text += utf8 ? "█" : "#";
    }
    return utf8 ? text + std::string(kEighths[eighths % 8]) : text;
}

std::string bars_text(const Chart& chart, const std::vector<Bar>& bars,
                      const TerminalLooks& looks) {
    const BarRows rows = rows_of(bars.size(), std::max<std::size_t>(4, looks.rows));
    std::size_t names = 0, values = 0;
    for (std::size_t i = 0; i < rows.shown; ++i) {
        names = std::max(names, columns_of(bars[i].label));
        values = std::max(values, columns_of(bars[i].text));
    }
    const std::size_t taken = names + values + 5;
    const auto width = static_cast<double>(looks.columns > taken + 10 ? looks.columns - taken : 10);
    std::string out = " " + chart.title + "\n";
    for (std::size_t i = 0; i < rows.shown; ++i) {
        const Bar& bar = bars[i];
        out += " " + bar.label + std::string(names - columns_of(bar.label) + 1, ' ') +
               std::string(values - columns_of(bar.text) + 1, ' ') + bar.text + "  " +
               std::string(static_cast<std::size_t>(std::lround(bar.from * width)), ' ') +
               painted(looks, bar.color, blocks((bar.to - bar.from) * width, looks.utf8)) + "\n";
    }
    if (rows.more > 0) {
        out += " and " + std::to_string(rows.more) + " more\n";
    }
    return out;
}

}  // namespace

std::string to_terminal(const Chart& chart, const TerminalLooks& looks) {
    if (const std::vector<Bar> bars = bars_of(chart); !bars.empty()) {
        return bars_text(chart, bars, looks);
    }
    const Range x = x_range(chart), y = y_range(chart);
    const std::size_t rows = std::max<std::size_t>(4, looks.rows);
    const std::vector<double> y_ticks =
        ticks(chart.y_scale, y.from, y.to, std::max(2, static_cast<int>(rows / 3)));
    const std::vector<std::string> y_labels = tick_texts(y_ticks);
    std::size_t room = 4;
    for (const std::string& label : y_labels) {
        room = std::max(room, columns_of(label));
    }
    const std::size_t width =
        std::max<std::size_t>(10, looks.columns > room + 4 ? looks.columns - room - 4 : 10);
    Dots dots(width, rows, looks.utf8);
    const AxisMap across{chart.x_scale, x.from, x.to, 0, dots.width() - 1},
        up{chart.y_scale, y.from, y.to, dots.height() - 1, 0};
    for (std::size_t n = 0; n < chart.lines.size(); ++n) {
        const Line& line = chart.lines[n];
        bool pen = false;
        double x0 = 0, y0 = 0;
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            const double px = across.pixel(line.x[i]), py = up.pixel(line.y[i]);
            if (!std::isfinite(px) || !std::isfinite(py)) {
                pen = false;
                continue;
            }
            dots.segment(pen ? x0 : px, pen ? y0 : py, px, py, n);
            x0 = px;
            y0 = py;
            pen = true;
        }
    }
    const Color muted = theme_colors(looks.theme).muted;
    std::vector<std::string> labels(rows);
    for (std::size_t i = 0; i < y_ticks.size(); ++i) {
        const double place = up.pixel(y_ticks[i]) / (looks.utf8 ? 4 : 1);
        if (place >= 0 && place < static_cast<double>(rows)) {
            labels[static_cast<std::size_t>(place)] = y_labels[i];
        }
    }
    std::string out = " " + chart.title + "\n";
    for (std::size_t r = 0; r < rows; ++r) {
        const std::string gap(room - std::min(room, columns_of(labels[r])), ' ');
        const std::string_view edge =
            labels[r].empty() ? (looks.utf8 ? "│" : "|") : (looks.utf8 ? "┤" : "+");
        out += " " + gap + painted(looks, muted, labels[r] + " " + std::string(edge)) +
               dots.row(r, chart, looks) + "\n";
    }
    std::string floor;
    for (std::size_t i = 0; i < width; ++i) {
        floor += looks.utf8 ? "─" : "-";
    }
    out +=
        std::string(room + 2, ' ') + painted(looks, muted, (looks.utf8 ? "└" : "+") + floor) + "\n";
    const AxisMap cells{chart.x_scale, x.from, x.to, 0, static_cast<double>(width)};
    const std::vector<double> x_ticks =
        axis_ticks(chart.x_unit, chart.x_scale, x.from, x.to,
                   std::max(2, static_cast<int>(width / 12)), chart.whole_x);
    out += std::string(room + 3, ' ') +
           painted(
               looks, muted,
               x_labels(cells, x_ticks, axis_texts(chart.x_unit, x_ticks)) + "  " + chart.x_title) +
           "\n";
    return out + legend(chart, looks);
}

}  // namespace taffrail::plot
