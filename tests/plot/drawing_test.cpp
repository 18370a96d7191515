// What is drawn is what was given: as SVG, as pixels and as characters.
#include "codec/png.h"
#include "plot/bars.h"
#include "plot/picture.h"
#include "plot/svg.h"
#include "plot/terminal_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::plot {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Sheet sheet_of(std::vector<Line> lines, std::string title = "loss") {
    Chart chart;
    chart.title = std::move(title);
    chart.x_title = "step";
    chart.lines = std::move(lines);
    Sheet sheet;
    sheet.charts.push_back(std::move(chart));
    return sheet;
}

Line rising(std::string label, std::size_t slot) {
    Line line{.label = std::move(label),
              .color = slot_color(Theme::Light, slot),
              .x = {},
              .y = {},
              .low = {},
              .high = {}};
    for (int i = 0; i <= 100; ++i) {
        line.x.push_back(i);
        line.y.push_back(i * 0.01);
    }
    return line;
}

std::size_t count(const Canvas& canvas, Color color) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < canvas.pixels().size(); i += 3) {
        found += Color{canvas.pixels()[i], canvas.pixels()[i + 1], canvas.pixels()[i + 2]} == color;
    }
    return found;
}

TEST(Svg, NamesOfRunsAreTextAndNothingElse) {
    const std::string svg =
        to_svg(sheet_of({rising("<script>alert('1')</script>\x1b[31m & \"x\"", 0)}, "<b>"));
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find("<b>"), std::string::npos);
    EXPECT_EQ(svg.find('\x1b'), std::string::npos);
    EXPECT_NE(svg.find("&#60;script&#62;"), std::string::npos);
}

TEST(Svg, ALineIsDrawnWhereItsValuesStand) {
    const Sheet sheet = sheet_of({rising("a", 0)});
    const Frame frame = frame_of(sheet.charts[0], 0, 0, sheet.chart_width, sheet.chart_height,
                                 [](const std::string& t) { return 6.4 * double(t.size()); });
    const std::string svg = to_svg(sheet);
    // The first and the last point, in tenths of a pixel.
    const auto place = [](double v) { return std::round(v * 10) / 10; };
    const std::size_t path = svg.find("d=\"M", svg.find("<g clip-path")) + 4;
    double x = 0, y = 0;
    ASSERT_EQ(std::sscanf(svg.c_str() + path, "%lf %lf", &x, &y), 2);
    EXPECT_DOUBLE_EQ(x, place(frame.x.pixel(0)));
    EXPECT_DOUBLE_EQ(y, place(frame.y.pixel(0)));
    EXPECT_NE(svg.find("#095ec3"), std::string::npos);
    for (const std::string& label : frame.y_labels) {
        EXPECT_NE(svg.find(">" + label + "</text>"), std::string::npos) << label;
    }
}

TEST(Svg, WhatIsNoNumberLiftsThePen) {
    Line line = rising("a", 0);
    line.y[50] = kNan;
    line.y[70] = std::numeric_limits<double>::infinity();
    const std::string svg = to_svg(sheet_of({line}));
    const std::size_t from = svg.find("d=\"M", svg.find("<g clip-path"));
    const std::string path = svg.substr(from, svg.find("\" stroke", from) - from);
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 3);
    EXPECT_EQ(path.find("nan"), std::string::npos);
    EXPECT_EQ(path.find("inf"), std::string::npos);
}

TEST(Picture, LinesAndTheirBandAreInTheColoursOfTheirRuns) {
    Line banded = rising("b", 1);
    for (const double y : banded.y) {
        banded.low.push_back(y - 0.1);
        banded.high.push_back(y + 0.1);
    }
    Line down = rising("a", 0);
    std::reverse(down.y.begin(), down.y.end());
    const auto canvas = draw(sheet_of({down, banded}));
    ASSERT_TRUE(canvas.ok()) << canvas.error().message;
    EXPECT_EQ(canvas->width(), 1120U);
    // A line of 3 pixels over 1,000 of them, and its mark in the legend.
    EXPECT_GT(count(*canvas, slot_color(Theme::Light, 0)), 1500U);
    EXPECT_GT(count(*canvas, slot_color(Theme::Light, 1)), 1500U);
    EXPECT_GT(count(*canvas, mix(Color{255, 255, 255}, slot_color(Theme::Light, 1), 0.2)), 20000U);
}

TEST(Picture, PixelsStandWhereTheValuesAre) {
    const Sheet sheet = sheet_of({rising("a", 0)});
    const auto canvas = draw(sheet);
    ASSERT_TRUE(canvas.ok());
    const Frame frame = frame_of(sheet.charts[0], 0, 0, sheet.chart_width, sheet.chart_height,
                                 [](std::string_view t) { return text_width(Face::Text, t) / 2; });
    for (const double x : {10.0, 33.0, 50.0, 90.0}) {
        const auto px = static_cast<std::size_t>(frame.x.pixel(x) * 2),
                   py = static_cast<std::size_t>(frame.y.pixel(x * 0.01) * 2);
        const std::uint8_t* at = &canvas->pixels()[(py * canvas->width() + px) * 3];
        EXPECT_EQ((Color{at[0], at[1], at[2]}), slot_color(Theme::Light, 0)) << x;
    }
}

TEST(Picture, IsAPngThatAReaderOpens) {
    const auto png = to_png(sheet_of({rising("ä – 漢 \xff", 3)}, std::string(500, 'w')));
    ASSERT_TRUE(png.ok()) << png.error().message;
    const auto back = decode_png(*png);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->width, 1120U);
    EXPECT_EQ(back->channels, 3);
}

TEST(Picture, TooManyChartsAreRefused) {
    Sheet sheet = sheet_of({rising("a", 0)});
    sheet.charts.resize(2000, sheet.charts[0]);
    const auto refused = draw(sheet);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, testing::HasSubstr("write SVG"));
}

TEST(Charts, OddNumbersHaveAPicture) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    for (const std::vector<double>& values :
         {std::vector<double>{}, {kNan}, {5}, {-kLargest, kLargest}, {5e-324, 0}, {3, 3, 3}}) {
        for (const Scale scale : {Scale::Linear, Scale::Log, Scale::Symlog}) {
            Line line{.label = "odd", .color = {}, .x = {}, .y = values, .low = {}, .high = {}};
            for (std::size_t i = 0; i < values.size(); ++i) {
                line.x.push_back(static_cast<double>(i));
            }
            Sheet sheet = sheet_of({line});
            sheet.charts[0].y_scale = scale;
            EXPECT_TRUE(draw(sheet).ok());
            EXPECT_EQ(to_svg(sheet).find("nan"), std::string::npos);
            EXPECT_FALSE(to_terminal(sheet.charts[0], {}).empty());
        }
    }
}

Line single(std::string label, std::size_t slot, double value) {
    return {.label = std::move(label),
            .color = slot_color(Theme::Light, slot),
            .x = {1999},
            .y = {value},
            .low = {},
            .high = {}};
}

TEST(Bars, SingleValuesAreBarsTheBestFirst) {
    Sheet sheet = sheet_of({single("middle", 0, 0.5), single("none", 1, kNan),
                            single("low", 2, 0.25), single("high", 3, 1)},
                           "accuracy");
    const auto labels = [&] {
        std::string all;
        for (const Bar& bar : bars_of(sheet.charts[0])) {
            all += bar.label + " " + bar.text + " ";
        }
        return all;
    };
    EXPECT_EQ(labels(), "high 1 middle 0.5000 low 0.2500 ");
    sheet.charts[0].smaller_is_better = true;
    EXPECT_EQ(labels(), "low 0.2500 middle 0.5000 high 1 ");
    sheet.charts[0].lines.push_back(rising("line", 4));
    EXPECT_TRUE(bars_of(sheet.charts[0]).empty()) << "one run has a line";
}

TEST(Bars, BeginAtZeroAndReachAsFarAsTheirValues) {
    const Sheet sheet = sheet_of({single("a", 0, 3), single("b", 1, -1)});
    const auto bars = bars_of(sheet.charts[0]);
    ASSERT_EQ(bars.size(), 2U);
    EXPECT_DOUBLE_EQ(bars[0].from, 0.25);
    EXPECT_DOUBLE_EQ(bars[0].to, 1);
    EXPECT_DOUBLE_EQ(bars[1].from, 0);
    EXPECT_DOUBLE_EQ(bars[1].to, 0.25);
    // As pixels: three times as many of one colour as of the other, and no axis of steps.
    const auto canvas = draw(sheet);
    ASSERT_TRUE(canvas.ok());
    const double a = static_cast<double>(count(*canvas, bars[0].color)),
                 b = static_cast<double>(count(*canvas, bars[1].color));
    EXPECT_NEAR(a / b, 3, 0.1);
    const std::string svg = to_svg(sheet);
    EXPECT_EQ(svg.find("step"), std::string::npos);
    EXPECT_EQ(svg.find("1,999"), std::string::npos);
}

TEST(Bars, WhatDoesNotFitIsCounted) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < 40; ++i) {
        lines.push_back(single("run-" + std::to_string(i), i % 20, static_cast<double>(i)));
    }
    const Sheet sheet = sheet_of(lines);
    EXPECT_NE(to_svg(sheet).find(">and 28 more<"), std::string::npos);
    const std::string text =
        to_terminal(sheet.charts[0], {.columns = 60, .rows = 14, .color = false, .utf8 = false});
    EXPECT_THAT(text, testing::HasSubstr(" and 27 more\n"));
    EXPECT_THAT(text, testing::HasSubstr(" run-39  39  ####"));
    EXPECT_THAT(to_terminal(sheet.charts[0], {.columns = 60, .rows = 14}), testing::HasSubstr("█"));
}

TEST(TerminalChart, ARisingLineGoesFromTheLowerLeftToTheUpperRight) {
    const Sheet sheet = sheet_of({rising("a run", 0)});
    const std::string ascii =
        to_terminal(sheet.charts[0], {.columns = 40, .rows = 8, .color = false, .utf8 = false});
    std::vector<std::string> rows;
    for (std::size_t at = 0; at < ascii.size();) {
        const std::size_t end = ascii.find('\n', at);
        rows.push_back(ascii.substr(at, end - at));
        at = end + 1;
    }
    ASSERT_GE(rows.size(), 11U);
    EXPECT_THAT(rows[0], testing::HasSubstr("loss"));
    // Every row that has marks has them further left than the one above.
    std::vector<std::size_t> marks;
    for (std::size_t i = 1; i <= 8; ++i) {
        if (rows[i].find('*') != std::string::npos) {
            marks.push_back(rows[i].find('*'));
        }
    }
    ASSERT_GE(marks.size(), 6U);
    EXPECT_TRUE(std::is_sorted(marks.rbegin(), marks.rend()));
    EXPECT_GT(marks.front(), marks.back() + 20);
    EXPECT_THAT(rows.back(), testing::HasSubstr("** a run"));
    for (const std::string& row : rows) {
        EXPECT_LE(row.size(), 48U) << row;
    }
}

TEST(TerminalChart, BrailleHasEightDotsACellAndTheColoursOfThePage) {
    Line flat = rising("a", 0);
    std::fill(flat.y.begin(), flat.y.end(), 1.0);
    const Sheet sheet = sheet_of({flat});
    const std::string plain = to_terminal(sheet.charts[0], {.columns = 40, .rows = 8});
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    // One row of dots through whole cells: ⠤, ⠉, ⠒ or ⣀.
    bool found = false;
    for (const char* cell : {"⠉", "⠒", "⠤", "⣀"}) {
        std::string run;
        for (int i = 0; i < 20; ++i) {
            run += cell;
        }
        found = found || plain.find(run) != std::string::npos;
    }
    EXPECT_TRUE(found) << plain;
    const std::string colored =
        to_terminal(sheet.charts[0], {.columns = 40, .rows = 8, .color = true});
    EXPECT_NE(colored.find("\x1b[38;2;9;94;195m"), std::string::npos);
}

}  // namespace
}  // namespace taffrail::plot
