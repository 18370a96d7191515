#include "terminal/text.h"

#include <gtest/gtest.h>

namespace taffrail::terminal {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
    EXPECT_EQ(display_width("abc"), 3u);
    EXPECT_EQ(display_width("grün"), 4u);
    EXPECT_EQ(display_width("数字"), 4u);
    EXPECT_EQ(display_width("\x1B[36mabc\x1B[0m"), 3u);
    EXPECT_EQ(display_width("e\xCC\x81"), 1u);
    EXPECT_EQ(display_width("\xFF\xFE"), 2u);
}

TEST(CutToWidth, NeverSplitsACharacterAndKeepsColourResets) {
    EXPECT_EQ(cut_to_width("数字", 3), "数");
    EXPECT_EQ(cut_to_width("\x1B[36mabcdef\x1B[0m", 2), "\x1B[36mab\x1B[0m");
    EXPECT_EQ(cut_to_width("abc", 10), "abc");
}

TEST(WithoutControls, NeutralisesEscapes) {
    EXPECT_EQ(without_controls("a\x1B[2Jb\r"), "a?[2Jb?");
}

TEST(WithoutEscapes, TakesOutNothingElse) {
    EXPECT_EQ(without_escapes("\x1b[1;31mred\x1b[0m \tü\n"), "red \tü\n");
    EXPECT_EQ(without_escapes("\x1b]0;title\x07"
                              "a\x1b]8;;x\x1b\\link"),
              "alink");
    EXPECT_EQ(without_escapes("cut\x1b[3"), "cut");
    EXPECT_EQ(without_escapes("cut\x1b]8;;x"), "cut");
    EXPECT_EQ(without_escapes("\x1b"), "");
}

}  // namespace
}  // namespace taffrail::terminal
