#include "terminal/bar_line.h"

#include "terminal/format.h"
#include "terminal/text.h"

#include <gmock/gmock.h>

namespace taffrail::terminal {
namespace {

BarState state() {
    return {.description = "Epoch 3",
            .position = 40,
            .total = 100,
            .elapsed_seconds = 4.0816,
            .metrics = {{"v_num", "2"}, {"loss", "0.123"}}};
}

TEST(BarLines, ReadsLikeAProgressLine) {
    const auto lines = bar_lines(state(), {.columns = 91});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_THAT(lines[0], testing::StartsWith("Epoch 3:  40%|####"));
    EXPECT_THAT(lines[0],
                testing::EndsWith("| 40/100 [00:04<00:06, 9.80it/s, v_num=2, loss=0.123]"));
    EXPECT_LE(display_width(lines[0]), 90u);
}

TEST(BarLines, FindingT19_ALineBreakInANameStaysOnItsLine) {
    BarState bar = state();
    bar.description = "Epoch\n3";
    bar.metrics = {{"a\nb", "0.1\t"}};
    for (const std::string& line : bar_lines(bar, {.columns = 120})) {
        EXPECT_EQ(line.find_first_of("\n\t"), std::string::npos) << line;
    }
    EXPECT_THAT(plain_bar_line(bar), testing::AllOf(testing::HasSubstr("Epoch\\n3"),
                                                    testing::HasSubstr("a\\nb=0.1\\t")));
}

TEST(BarLines, Case43EndsWithPaddedNumbers) {
    BarState bar = state();
    bar.metrics = {
        {"a", format_bar_number(0.123)}, {"b", format_bar_number(1)}, {"c", format_bar_number(2)}};
    EXPECT_THAT(bar_lines(bar, {.columns = 120})[0],
                testing::EndsWith("a=0.123, b=1.000, c=2.000]"));
}

TEST(BarLines, WrapsMetricsInsteadOfCuttingThem) {
    BarState bar = state();
    bar.metrics.clear();
    for (int i = 0; i < 12; ++i) {
        bar.metrics.emplace_back("a_long_metric_name_" + std::to_string(i), "0.123");
    }
    for (const int columns : {60, 80, 120}) {
        const auto lines = bar_lines(bar, {.columns = columns});
        std::string all;
        for (const std::string& line : lines) {
            EXPECT_LT(display_width(line), static_cast<std::size_t>(columns));
            all += line;
        }
        EXPECT_GT(lines.size(), 2u);
        for (const auto& [name, value] : bar.metrics) {
            EXPECT_THAT(all, testing::HasSubstr(name + "=" + value)) << columns;
        }
    }
}

TEST(BarLines, UnknownLengthHasNoEta) {
    BarState bar = state();
    bar.total.reset();
    EXPECT_THAT(bar_lines(bar, {.columns = 100})[0], testing::HasSubstr("40/? [00:04<?, 9.80it/s"));
}

// After a resume at 50 of 100, two steps in two seconds mean 48 seconds left, not two.
TEST(BarLines, EtaCountsFromWhereThisProcessBegan) {
    const BarState bar{.position = 52, .initial = 50, .total = 100, .elapsed_seconds = 2};
    EXPECT_DOUBLE_EQ(seconds_left(bar).value(), 48);
    const BarState begun{.position = 50, .initial = 50, .total = 100, .elapsed_seconds = 2};
    EXPECT_FALSE(seconds_left(begun).has_value());
}

TEST(BarLines, SaysHundredPercentOnlyAtTheEnd) {
    BarState bar{.position = 999, .total = 1000, .elapsed_seconds = 1};
    EXPECT_THAT(plain_bar_line(bar), testing::StartsWith(" 99%"));
    bar.position = 1000;
    EXPECT_THAT(plain_bar_line(bar), testing::StartsWith("100%"));
}

TEST(BarLines, AnyWidthAndAnyPositionDraws) {
    for (int columns = 1; columns < 200; ++columns) {
        for (const std::int64_t position : {-5, 0, 1, 7, 10, 20}) {
            for (const bool utf8 : {false, true}) {
                BarState bar{
                    .description = "x", .position = position, .total = 10, .elapsed_seconds = 1};
                EXPECT_FALSE(bar_lines(bar, {.columns = columns, .utf8 = utf8}).empty());
            }
        }
    }
}

}  // namespace
}  // namespace taffrail::terminal
