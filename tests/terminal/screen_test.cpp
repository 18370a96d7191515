// The screen against a small terminal emulator: what a person would see, not which bytes were sent.
#include "terminal/screen.h"

#include "test_files.h"
#include "virtual_terminal.h"
#include "without_threads.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace taffrail::terminal {
namespace {

using test::VirtualTerminal;

struct Fixture {
    VirtualTerminal terminal;
    Screen screen;

    explicit Fixture(int columns = 40, int rows = 10)
        : terminal(columns, rows),
          screen({.interactive = true,
                  .size = Size{columns, rows},
                  .threaded = false,
                  .write = [this](std::string_view text) { terminal.feed(text); }}) {}
};

TEST(Screen, RedrawsARegionInPlace) {
    Fixture f;
    int n = 0;
    Region region =
        f.screen.add([&](int) { return std::vector<std::string>{"line " + std::to_string(n)}; });
    for (n = 0; n < 20; ++n) {
        f.screen.draw();
    }
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("line 19"));
}

// Each line feed in a text costs the kernel two writes to the terminal more.
TEST(Screen, RedrawsRowsThatAreThereWithoutALineFeed) {
    VirtualTerminal terminal(40, 10);
    std::string bytes;
    Screen screen({.interactive = true,
                   .size = Size{40, 10},
                   .threaded = false,
                   .write = [&](std::string_view text) {
                       bytes += text;
                       terminal.feed(text);
                   }});
    std::vector<std::string> lines{"first 1", "same", "same too", "last 1"};
    Region region = screen.add([&](int) { return lines; });
    const auto draw = [&] {
        bytes.clear();
        screen.draw();
        EXPECT_THAT(terminal.lines(), testing::ElementsAreArray(lines));
        return std::ranges::count(bytes, '\n');
    };
    EXPECT_EQ(draw(), 4);
    lines[0] = "first 2";
    EXPECT_EQ(draw(), 0);
    EXPECT_EQ(bytes.find("same"), std::string::npos) << "what has not changed is not sent again";
    lines[1] = "other";
    lines[3] = "last 2";
    EXPECT_EQ(draw(), 0);
    lines.push_back("one row more");
    EXPECT_EQ(draw(), 1);
    lines[4] = "one row more, again";
    EXPECT_EQ(draw(), 0);
    screen.print("above\n");
    EXPECT_EQ(terminal.lines().front(), "above");
    EXPECT_EQ(terminal.lines().back(), "one row more, again");
}

TEST(Screen, PrintsAboveTheRegions) {
    Fixture f;
    Region region = f.screen.add([](int) { return std::vector<std::string>{"bar"}; });
    f.screen.draw();
    f.screen.print("one\n");
    f.screen.print("tw");
    f.screen.print("o\nthree\n");
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("one", "two", "three", "bar"));
}

TEST(Screen, HeldTextIsShownAndLostByNobody) {
    Fixture f;
    Region region = f.screen.add([](int) { return std::vector<std::string>{"bar"}; });
    f.screen.print("half");
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("half", "bar"));
    region.close(Leave::Erase);
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("half"));
}

TEST(Screen, ClosedRegionStaysAboveOrVanishes) {
    Fixture f;
    Region first = f.screen.add([](int) { return std::vector<std::string>{"first"}; });
    Region second = f.screen.add([](int) { return std::vector<std::string>{"second"}; });
    f.screen.draw();
    first.close(Leave::Keep);
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("first", "second"));
    second.close(Leave::Erase);
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("first"));
}

TEST(Screen, ShrinkingRegionLeavesNothingBehind) {
    Fixture f;
    int count = 5;
    Region region = f.screen.add([&](int) {
        std::vector<std::string> lines;
        for (int i = 0; i < count; ++i) {
            lines.push_back("l" + std::to_string(i));
        }
        return lines;
    });
    f.screen.draw();
    count = 2;
    f.screen.draw();
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("l0", "l1"));
}

// A region of more lines than the screen has rows cannot be redrawn; its end is shown.
TEST(Screen, TallRegionIsCutToTheScreen) {
    Fixture f(20, 5);
    int n = 0;
    Region region = f.screen.add([&](int) {
        std::vector<std::string> lines;
        for (int i = 0; i < 9; ++i) {
            lines.push_back(std::to_string(i) + "/" + std::to_string(n));
        }
        return lines;
    });
    for (n = 0; n < 4; ++n) {
        f.screen.draw();
    }
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("5/3", "6/3", "7/3", "8/3"));
}

TEST(Screen, LongPrintsScrollWhileTheRegionStaysAtTheBottom) {
    Fixture f(20, 6);
    Region region = f.screen.add([](int) { return std::vector<std::string>{"bar"}; });
    for (int i = 0; i < 30; ++i) {
        f.screen.print("row " + std::to_string(i) + "\n");
        f.screen.draw();
    }
    EXPECT_THAT(f.terminal.lines(),
                testing::ElementsAre("row 26", "row 27", "row 28", "row 29", "bar"));
    EXPECT_EQ(f.terminal.count_in_history("bar"), 0);
}

TEST(Screen, NothingMovesTheCursorWhenNotInteractive) {
    std::string bytes;
    Screen screen({.interactive = false, .threaded = false, .write = [&](std::string_view text) {
                       bytes += text;
                   }});
    Region region = screen.add([](int) { return std::vector<std::string>{"bar"}; });
    screen.draw();
    screen.print("text\n");
    region.close();
    EXPECT_EQ(bytes, "text\n");
}

TEST(Screen, SuspendTakesTheRegionsOff) {
    Fixture f;
    Region region = f.screen.add([](int) { return std::vector<std::string>{"bar"}; });
    f.screen.draw();
    f.screen.suspend();
    f.screen.draw();
    EXPECT_THAT(f.terminal.lines(), testing::IsEmpty());
    f.screen.resume();
    EXPECT_THAT(f.terminal.lines(), testing::ElementsAre("bar"));
}

// A window in the hands of somebody who drags it: the terminal wraps at once, and tells late.
struct Dragged {
    VirtualTerminal terminal{60, 12};
    Size told{60, 12};
    std::int64_t now_ns = 0;
    int drawn = 0;
    Screen screen{{.interactive = true,
                   .ask_size = [this] { return told; },
                   .now_ns = [this] { return now_ns; },
                   .threaded = false,
                   .write = [this](std::string_view text) { terminal.feed(text); }}};

    Region bar() {
        return screen.add([this](int columns) {
            std::string line = "work " + std::to_string(drawn) + " ";
            line.resize(static_cast<std::size_t>(columns - 1), '#');
            return std::vector<std::string>{line};
        });
    }

    void frame(std::int64_t milliseconds) {
        now_ns += milliseconds * 1'000'000;
        ++drawn;
        screen.draw();
    }

    std::vector<std::string> everything() const {
        std::vector<std::string> all = terminal.history();
        for (const std::string& line : terminal.lines()) {
            all.push_back(line);
        }
        return all;
    }
};

TEST(Screen, FindingT12_AWindowThatIsDraggedKeepsOneBar) {
    Dragged f;
    f.screen.print("before\n");
    Region bar = f.bar();
    f.frame(200);
    // The first change is told at once, those of the next 250 ms together at their end.
    for (const auto& [width, is_told] :
         {std::pair(52, true), {45, false}, {37, false}, {30, true}, {26, false}, {24, true}}) {
        f.terminal.resize(width);
        if (is_told) {
            f.told.columns = width;
        }
        f.frame(100);
    }
    EXPECT_EQ(f.drawn, 7);
    f.frame(200);
    f.frame(200);
    ASSERT_THAT(f.everything(), testing::ElementsAre("before", testing::StartsWith("work 9 ")));
    // And back, which takes the wraps out again.
    for (const int width : {40, 50, 60}) {
        f.terminal.resize(width);
        f.frame(60);
    }
    f.told.columns = 60;
    f.frame(100);
    f.frame(400);
    EXPECT_THAT(f.everything(), testing::ElementsAre("before", testing::StartsWith("work 14 ")));
}

TEST(Screen, FindingT12_TextPrintedMeanwhileWaitsForTheWindow) {
    Dragged f;
    Region bar = f.bar();
    f.frame(200);
    f.terminal.resize(40);
    f.told.columns = 40;
    f.screen.print("one\n");
    f.terminal.resize(30);
    f.screen.print("tw");
    f.screen.print("o\n");
    f.frame(100);
    f.told.columns = 30;
    f.frame(200);
    f.frame(400);
    EXPECT_THAT(f.everything(), testing::ElementsAre("one", "two", testing::StartsWith("work ")));
    bar.close(Leave::Erase);
    EXPECT_THAT(f.everything(), testing::ElementsAre("one", "two"));
}

TEST(Screen, FindingT12_ABarThatEndsMeanwhileStaysAboveTheOthers) {
    Dragged f;
    Region first = f.screen.add([](int) { return std::vector<std::string>{"first"}; });
    Region second = f.bar();
    f.frame(200);
    f.terminal.resize(40);
    f.told.columns = 40;
    f.frame(10);
    first.close(Leave::Keep);
    f.frame(400);
    EXPECT_THAT(f.everything(), testing::ElementsAre("first", testing::StartsWith("work ")));
}

// The window got narrower between the look at its size and the drawing.
TEST(Screen, FindingT12_ALineDrawnForAWiderWindowDoesNotWrap) {
    Dragged f;
    Region bar = f.bar();
    f.frame(200);
    f.terminal.resize(35);
    f.frame(200);
    f.told.columns = 35;
    f.frame(200);
    f.frame(400);
    EXPECT_THAT(f.everything(), testing::ElementsAre(testing::StartsWith("work 4 ")));
}

TEST(Screen, WithoutAThreadABarShowsItsEndAndNothingIsThrown) {
    const test::TestFolder folder;
    EXPECT_EQ(test::as_a_user(
                  folder.path(),
                  [&] {
                      test::forbid_threads();
                      VirtualTerminal terminal(40, 10);
                      Screen screen({.interactive = true,
                                     .size = Size{40, 10},
                                     .write = [&](std::string_view text) { terminal.feed(text); }});
                      Region region =
                          screen.add([](int) { return std::vector<std::string>{"100 %"}; });
                      region.touch();
                      region.close();
                      return terminal.lines() == std::vector<std::string>{"100 %"} ? 0 : 1;
                  }),
              0);
}

}  // namespace
}  // namespace taffrail::terminal
