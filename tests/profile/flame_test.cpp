#include "profile/flame/svg.h"
#include "sample_profiles.h"

#include <gmock/gmock.h>

namespace taffrail::profile::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Flame, SiblingsStandInAlphabeticalOrderWithinTheirParent) {
    Profile profile = read_text("main;zeta 1\nmain;alpha 2\nmain 1\n", "collapsed");
    const auto layout = lay_out_flame(profile, {});
    ASSERT_TRUE(layout.ok());
    ASSERT_EQ(layout->boxes.size(), 3u);
    EXPECT_EQ(layout->texts[layout->boxes[1].title], "alpha");
    EXPECT_DOUBLE_EQ(layout->boxes[1].begin, 0);
    EXPECT_DOUBLE_EQ(layout->boxes[1].share, 0.5);
    EXPECT_DOUBLE_EQ(layout->boxes[2].begin, 0.5);
    EXPECT_EQ(layout->total, 4);
}

TEST(Flame, NarrowAndDeepBoxesAreLeftOutAndCounted) {
    Profile profile = read_text("main;wide 1000000\nmain;narrow 1\n", "collapsed");
    const auto layout = lay_out_flame(profile, {});
    EXPECT_EQ(layout->boxes.size(), 2u);
    EXPECT_EQ(layout->left_out, 1u);
    EXPECT_EQ(lay_out_flame(profile, {.max_depth = 1})->boxes.size(), 1u);
}

TEST(Flame, AComparisonTellsTheChangeOfEachShare) {
    Profile before = read_text("main;a 50\nmain;b 50\n", "collapsed");
    Profile after = read_text("main;a 30\nmain;b 10\n", "collapsed");
    const auto layout = lay_out_comparison(before, after, {});
    ASSERT_TRUE(layout.ok());
    EXPECT_DOUBLE_EQ(layout->boxes[0].delta, 0);
    EXPECT_DOUBLE_EQ(layout->boxes[1].delta, 0.25);
    EXPECT_DOUBLE_EQ(layout->boxes[2].delta, -0.25);
    EXPECT_EQ(layout->total_before, 100);
}

TEST(Flame, AFunctionWhoseLineMovedIsTheSameInAComparison) {
    Profile before =
        read_text("main (a.py:1);work (a.py:9) 3\nmain (a.py:1);rest (b.py:4) 1\n", "collapsed");
    Profile after =
        read_text("main (a.py:2);work (a.py:30) 3\nmain (a.py:2);rest (c.py:4) 1\n", "collapsed");
    const auto layout = lay_out_comparison(before, after, {});
    ASSERT_TRUE(layout.ok());
    ASSERT_EQ(layout->boxes.size(), 3u);
    EXPECT_EQ(layout->texts[layout->boxes[0].title], "main (a.py)");
    EXPECT_DOUBLE_EQ(layout->boxes[0].delta, 0);
    EXPECT_EQ(layout->texts[layout->boxes[1].title], "rest (c.py)");
    EXPECT_DOUBLE_EQ(layout->boxes[1].delta, 0.25) << "another file is another function";
    EXPECT_EQ(layout->texts[layout->boxes[2].title], "work (a.py)");
    EXPECT_DOUBLE_EQ(layout->boxes[2].delta, 0);
}

TEST(Flame, ThreadsCanHaveTowersOfTheirOwn) {
    Profile profile = ProfileMaker(3, false).make(Sort::Timeline);
    const auto layout = lay_out_flame(profile, {.by_thread = true});
    ASSERT_TRUE(layout.ok());
    for (const FlameBox& box : layout->boxes) {
        EXPECT_EQ(box.depth == 1, layout->texts[box.title].starts_with("worker-"));
    }
}

TEST(Flame, NamesAreTextAndNeverMarkup) {
    Profile profile = read_text("<script>alert(1)</script>;a&b]]> 1\n", "collapsed");
    const std::string svg = written_text(profile, "svg");
    EXPECT_THAT(svg, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;alert(1)"));
    EXPECT_THAT(svg, HasSubstr("a&amp;b]]&gt;"));
    Profile again = read_text("x\x01y\xff 1\n", "collapsed");
    EXPECT_THAT(written_text(again, "svg"), Not(HasSubstr("\x01")));
}

// Beside it stand what the search found and the search itself.
TEST(Flame, ALongTitleIsCutAndTheWholeStaysToPointAt) {
    const std::string whole = std::string(79, 'a') + "ä and more";
    std::string svg;
    Output out([&](ByteSpan bytes) -> Result<void> {
        svg += as_text(bytes);
        return {};
    });
    FlameLayout layout;
    layout.title = whole;
    write_flame_svg(layout, {}, out);
    ASSERT_TRUE(out.finish().ok());
    EXPECT_NE(svg.find("<title>" + whole + "</title>" + std::string(79, 'a') + "…</text>"),
              std::string::npos);
}

TEST(Flame, BoxesShowTheFileWithoutItsFolders) {
    Profile profile = read_text("work (/home/me/train.py:12) 1\n", "collapsed");
    const std::string svg = written_text(profile, "svg");
    EXPECT_THAT(svg, HasSubstr(">work (train.py:12)</text>"));
    EXPECT_THAT(svg, HasSubstr("<title>work (/home/me/train.py:12)\n")) << "where one points at it";
    for (const char* whole : {"work", "a/b", "operator() (int)", "f(a/b)", "x (/)", "y (a/b) const",
                              "z (f(a)/b)", " (", ")", ""}) {
        EXPECT_EQ(short_title(whole), whole);
    }
    EXPECT_EQ(short_title("work (a/b.py)"), "work (b.py)");
}

TEST(Flame, AProfileWithoutStacksSaysSo) {
    Profile empty;
    const auto layout = lay_out_flame(empty, {});
    ASSERT_FALSE(layout.ok());
    EXPECT_EQ(layout.error().message, "the profile has no stacks");
}

TEST(Flame, ValuesAreWrittenAsPeopleReadThem) {
    EXPECT_EQ(value_text(1'234'567, "nanoseconds"), "1.235 ms");
    EXPECT_EQ(value_text(0.5, "seconds"), "500 ms");
    EXPECT_EQ(value_text(1'234'567, "count"), "1\u2009234\u2009567");
    EXPECT_EQ(value_text(12, "bytes"), "12 bytes");
}

}  // namespace
}  // namespace taffrail::profile::testing
