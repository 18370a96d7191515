// The screen against a small terminal emulator: what a person would see, not which bytes were sent.
#include "terminal/screen.h"

#include "virtual_terminal.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace taffrail::terminal
