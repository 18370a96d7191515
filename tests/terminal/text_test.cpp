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
    EXPECT_EQ(without_controls("a\x1B[2Jb\r"), "a\\x1b[2Jb\\x0d");
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

TEST(Text, FindingS22_EscapeSequencesAreShownNotSent) {
    EXPECT_EQ(without_controls("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
    EXPECT_EQ(without_controls("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(without_controls("\x7f\xc2\x9b 1m\x9b"), "\\x7f\\x9b 1m\\x9b");
    EXPECT_EQ(without_controls("ü\u202egnp.exe 日本"), "ü\\u202egnp.exe 日本");
    EXPECT_EQ(with_colors_only("\x1b[31mred\x1b[2J\x1b]8;;x\x07link"), "\x1b[31mredlink\x1b[0m");
    EXPECT_EQ(with_colors_only("plain"), "plain");
}

TEST(Text, FindingO17_LongTextIsCutInTheMiddle) {
    EXPECT_EQ(cut_middle("abcdefghij", 5), "ab…ij");
    EXPECT_EQ(cut_middle("abcde", 5), "abcde");
    EXPECT_EQ(cut_middle(std::string(1'000'000, 'x') + "日本", 6), "xx…本");
    EXPECT_LE(display_width(cut_middle("日本日本日本日本", 7)), 7u);
    EXPECT_EQ(cut_middle("日本日本日本日本", 7), "日…本");
}

}  // namespace
}  // namespace taffrail::terminal
