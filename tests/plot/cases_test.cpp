// Numbers, ticks, labels and colours are those of the page: both read tests/data/plot_cases.json.
#include "codec/json.h"
#include "places.h"
#include "plot/number_text.h"
#include "plot/palette.h"
#include "plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

namespace taffrail::plot {
namespace {

const Json& cases() {
    static const Json parsed = [] {
        std::ifstream file(tests::data_folder() + "/plot_cases.json");
        std::stringstream text;
        text << file.rdbuf();
        return *parse_json(text.str());
    }();
    return parsed;
}

const Json::Array& list(const char* name) {
    return *cases().find(name)->array();
}

double number(const Json& row, const char* name) {
    return *row.find(name)->number();
}

std::string text(const Json& row, const char* name) {
    return std::string(*row.find(name)->string());
}

std::vector<double> numbers(const Json& row, const char* name) {
    std::vector<double> values;
    for (const Json& value : *row.find(name)->array()) {
        values.push_back(*value.number());
    }
    return values;
}

std::vector<std::string> texts(const Json& row, const char* name) {
    std::vector<std::string> values;
    for (const Json& value : *row.find(name)->array()) {
        values.emplace_back(*value.string());
    }
    return values;
}

TEST(PlotCases, NumbersReadAsOnThePage) {
    ASSERT_GT(list("numbers").size(), 300U);
    for (const Json& row : list("numbers")) {
        EXPECT_EQ(number_text(number(row, "value"), static_cast<int>(number(row, "digits")),
                              *row.find("short")->truth()),
                  text(row, "text"))
            << number(row, "value");
    }
    for (const Json& row : list("durations")) {
        EXPECT_EQ(duration_text(number(row, "seconds")), text(row, "text"));
    }
}

TEST(PlotCases, TicksAndLabelsAreThoseOfThePage) {
    ASSERT_GT(list("axes").size(), 200U);
    for (const Json& row : list("axes")) {
        const std::string kind = text(row, "kind");
        const Scale scale = kind == "log"      ? Scale::Log
                            : kind == "symlog" ? Scale::Symlog
                                               : Scale::Linear;
        const double from = number(row, "from"), to = number(row, "to");
        const std::vector<double> wanted = numbers(row, "ticks");
        const std::vector<double> found = ticks(
            scale, from, to, static_cast<int>(number(row, "count")), *row.find("whole")->truth());
        ASSERT_EQ(found.size(), wanted.size()) << kind << " " << from << " " << to;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            // Powers of ten differ in their last bit between the libraries.
            EXPECT_LE(std::abs(found[i] - wanted[i]), 1e-12 * std::abs(wanted[i])) << from;
        }
        EXPECT_EQ(tick_texts(wanted), texts(row, "labels")) << kind << " " << from << " " << to;
    }
}

TEST(PlotCases, TimesTickAsOnThePage) {
    for (const Json& row : list("times")) {
        const AxisUnit unit = text(row, "axis") == "wall" ? AxisUnit::Time : AxisUnit::Seconds;
        const std::vector<double> found = time_ticks(number(row, "from"), number(row, "to"),
                                                     static_cast<int>(number(row, "count")));
        if (row.find("ticks")->array() == nullptr) {
            EXPECT_TRUE(found.empty());
            continue;
        }
        EXPECT_EQ(found, numbers(row, "ticks"));
        EXPECT_EQ(axis_texts(unit, found), texts(row, "labels"));
    }
}

TEST(PlotCases, ColoursAreThoseOfThePage) {
    for (const auto& [name, theme] :
         {std::pair{"light", Theme::Light}, std::pair{"dark", Theme::Dark}}) {
        const std::vector<std::string> palette = texts(*cases().find("palette"), name);
        ASSERT_EQ(palette.size(), kColorCount);
        for (std::size_t i = 0; i < palette.size(); ++i) {
            EXPECT_EQ(hex_of(slot_color(theme, i)), palette[i]);
            EXPECT_EQ(parse_color(palette[i]), slot_color(theme, i + kColorCount));
        }
        const Json& around = *cases().find("themes")->find(name);
        EXPECT_EQ(hex_of(theme_colors(theme).ground), text(around, "ground"));
        EXPECT_EQ(hex_of(theme_colors(theme).text), text(around, "text"));
        EXPECT_EQ(hex_of(theme_colors(theme).muted), text(around, "muted"));
    }
}

TEST(PlotCases, OfThoseWhoWouldWearOneColourTheOldestDoes) {
    ASSERT_GE(list("grey").size(), 5U);
    for (const Json& row : list("grey")) {
        std::vector<std::optional<std::size_t>> slots;
        for (const Json& slot : *row.find("slots")->array()) {
            const auto number = slot.number();
            slots.push_back(number ? std::optional(static_cast<std::size_t>(*number))
                                   : std::nullopt);
        }
        std::vector<bool> expected(slots.size());
        for (const double at : numbers(row, "grey")) {
            expected[static_cast<std::size_t>(at)] = true;
        }
        EXPECT_EQ(grey_among(slots), expected);
    }
}

}  // namespace
}  // namespace taffrail::plot
