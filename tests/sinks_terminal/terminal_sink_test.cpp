#include "codec/capture.h"
#include "codec/png.h"
#include "io/files.h"
#include "record_builder.h"
#include "sinks/terminal/sink.h"
#include "terminal/virtual_terminal.h"
#include "test_files.h"

#include <gmock/gmock.h>

namespace taffrail::sinks::terminal {
namespace {

struct Fixture {
    test::VirtualTerminal terminal{120, 20};
    std::string bytes;
    taffrail::terminal::Screen screen;

    explicit Fixture(bool interactive)
        : screen({.interactive = interactive,
                  .size = taffrail::terminal::Size{120, 20},
                  .threaded = false,
                  .write = [this](std::string_view text) {
                      bytes += text;
                      terminal.feed(text);
                  }}) {}

    std::unique_ptr<TerminalSink> open(const OptionMap& options) {
        auto sink = std::make_unique<TerminalSink>(parse_terminal_options(options).value(), screen);
        sink->open({}).value();
        return sink;
    }

    void write(Sink& sink, std::span<const Record> records) {
        std::size_t delivered = 0;
        sink.write(records, delivered).value();
        screen.draw();
    }
};

test::Records training(int steps) {
    test::Records records;
    for (int i = 0; i < steps; ++i) {
        records.row(
            i, {{"Train Iter (time)", 0.0345}, {"Train Rays / Sec", 163840.0 + i}, {"loss", 0.5}});
    }
    return records;
}

const OptionMap kTracked = {
    {"stats_to_track", "[ITER_TRAIN_TIME, TRAIN_RAYS_PER_SEC, CURR_TEST_PSNR]"}};

TEST(LocalWriter, KeepsTheLastRowsInPlace) {
    Fixture f(true);
    auto sink = f.open(kTracked);
    const test::Records records = training(50);
    for (std::size_t i = 0; i < records.all().size(); i += 3) {
        f.write(*sink, records.all().subspan(i, 3));
    }
    sink->close(RunState::Finished).value();
    const auto lines = f.terminal.lines();
    ASSERT_EQ(lines.size(), 12u);
    EXPECT_THAT(lines[0],
                testing::MatchesRegex("Step +Train Iter \\(time\\) +Train Rays / Sec +Test PSNR"));
    EXPECT_THAT(lines[2], testing::MatchesRegex("40 +34.500 ms +163.88 K"));
    EXPECT_THAT(lines[11], testing::MatchesRegex("49 +34.500 ms +163.89 K"));
    EXPECT_TRUE(f.terminal.history().empty());
}

TEST(LocalWriter, FindingR04_HiddenMetricsGetNoColumnUnlessTheyAreAskedFor) {
    const Value late = MetricDefinition{"late", {.hidden = true}};
    const auto header = [&](const OptionMap& options) {
        Fixture f(true);
        TerminalSink sink(parse_terminal_options(options).value(), f.screen);
        sink.open({.metrics = {{"debug/*", {.hidden = true}}}}).value();
        const std::vector<Record> records{
            {.key = "debug/norm", .scalar = 1},
            {.key = "metrics", .kind = Kind::MetricDefinition, .value = &late},
            {.key = "late", .scalar = 1},
            {.key = "loss", .scalar = 1}};
        f.write(sink, records);
        sink.close(RunState::Finished).value();
        return f.terminal.lines().at(0);
    };
    EXPECT_THAT(header({}), testing::MatchesRegex("Step +loss *"));
    EXPECT_THAT(header({{"stats_to_track", "[late, debug/norm]"}}),
                testing::MatchesRegex("Step +late +debug/norm *"));
}

TEST(LocalWriter, AppendsEverythingWhenTheSizeIsZero) {
    Fixture f(true);
    OptionMap options = kTracked;
    options.emplace_back("max_log_size", "0");
    auto sink = f.open(options);
    f.write(*sink, training(50).all());
    sink->close(RunState::Finished).value();
    EXPECT_EQ(std::ranges::count(f.bytes, '\n'), 52);
    EXPECT_THAT(f.bytes, testing::Not(testing::HasSubstr("\x1B")));
}

TEST(LocalWriter, AppendsWhereThereIsNoTerminal) {
    Fixture f(false);
    auto sink = f.open(kTracked);
    f.write(*sink, training(50).all());
    sink->close(RunState::Finished).value();
    EXPECT_EQ(std::ranges::count(f.bytes, '\n'), 52);
    EXPECT_THAT(f.bytes, testing::Not(testing::HasSubstr("\x1B")));
}

// The column of a statistic stays where it is, also in rows that lack the one before it.
TEST(LocalWriter, ColumnsStayWhenAValueIsMissing) {
    Fixture f(false);
    auto sink = f.open({{"stats_to_track", "ITER_TRAIN_TIME, CURR_TEST_PSNR"}});
    test::Records records;
    records.row(0, {{"Train Iter (time)", 1.25}, {"Test PSNR", 20.5}})
        .row(1, {{"Test PSNR", 21.5}});
    f.write(*sink, records.all());
    sink->close(RunState::Finished).value();
    const auto lines = f.terminal.lines();
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[2].find("20.5000"), lines[3].find("21.5000"));
    EXPECT_EQ(lines[0].find("Test PSNR"), lines[3].find("21.5000"));
}

TEST(LocalWriter, ShowsRegisteredStatisticsAndPercent) {
    register_stat({"MY_STAT", "My Stat", StatFormat::Duration});
    Fixture f(false);
    auto sink =
        f.open({{"stats_to_track", "MY_STAT"}, {"max_iter", "200"}, {"steps_per_log", "10"}});
    test::Records records;
    for (int i = 0; i < 25; ++i) {
        records.row(i, {{"MY_STAT", 61.5}});
    }
    f.write(*sink, records.all());
    sink->close(RunState::Finished).value();
    EXPECT_THAT(f.terminal.lines(),
                testing::ElementsAre(testing::HasSubstr("My Stat"), testing::_,
                                     testing::MatchesRegex("0 \\(0.00%\\) +1 m, 1 s"),
                                     testing::StartsWith("10 (5.00%)"),
                                     testing::StartsWith("20 (10.00%)")));
}

TEST(LocalWriter, TracksEveryScalarWhenNothingIsChosen) {
    Fixture f(false);
    auto sink = f.open({});
    test::Records records;
    records.row(0, {{"train/loss", 0.5}}).row(1, {{"train/loss", 0.25}, {"val/loss", 0.75}});
    f.write(*sink, records.all());
    sink->close(RunState::Finished).value();
    EXPECT_THAT(f.bytes,
                testing::AllOf(testing::HasSubstr("val/loss"), testing::HasSubstr("0.7500")));
}

TEST(LocalWriter, UnknownStatisticIsAConfigurationError) {
    EXPECT_THAT(parse_terminal_options({{"stats_to_track", "[ITER_TRAIN_TIMES]"}}).error().message,
                testing::HasSubstr("did you mean 'ITER_TRAIN_TIME'"));
    EXPECT_THAT(parse_terminal_options({{"max_log_sizes", "1"}}).error().message,
                testing::HasSubstr("did you mean 'max_log_size'"));
    EXPECT_FALSE(parse_terminal_options({{"max_log_size", "-1"}}).ok());
}

TEST(LocalWriter, SavesImagesAsPng) {
    const test::TestFolder folder;
    Fixture f(false);
    auto sink = f.open({{"log_dir", folder.path()}});
    const std::vector<float> pixels = {0.0f, 1.0f, 0.5f, 2.0f, -1.0f, 0.25f};
    Value value = capture_image({TensorView(pixels.data(), DType::F32, {2, 3})}).value();
    encode_media(value).value();
    test::Records records;
    records.value("render/gt", 7, value);
    f.write(*sink, records.all());
    const std::string file = folder.read("render_gt_000007.png");
    const Pixels decoded = decode_png(as_bytes(file)).value();
    EXPECT_EQ(decoded.width, 3u);
    EXPECT_EQ(decoded.height, 2u);
    std::vector<int> levels;
    for (const std::byte level : decoded.data) {
        levels.push_back(static_cast<int>(level));
    }
    EXPECT_THAT(levels, testing::ElementsAre(0, 255, 128, 255, 0, 64));
}

TEST(LocalWriter, FindingT17_AFolderThatCannotBeWrittenDoesNotStopTheTable) {
    const test::TestFolder folder;
    const std::string taken = folder.path() + "/a_file";
    io::write_file_atomically(taken, as_bytes("x")).value();
    Fixture f(false);
    auto sink = f.open({{"log_dir", taken + "/below"}});
    const std::vector<float> pixels(6, 0.5f);
    Value value = capture_image({TensorView(pixels.data(), DType::F32, {2, 3})}).value();
    encode_media(value).value();
    test::Records records;
    records.row(1, {{"loss", 0.5}});
    records.value("render", 1, value);
    records.row(2, {{"loss", 0.25}});
    records.row(3, {{"loss", 0.125}});
    f.write(*sink, records.all());
    sink->close(RunState::Finished).value();
    for (const char* shown : {"0.5000", "0.2500", "0.1250"}) {
        EXPECT_THAT(f.bytes, testing::HasSubstr(shown));
    }
}

TEST(LocalWriter, FindingT16_AMisspeltStatisticInSmallLettersIsRefused) {
    const auto made = make_terminal_sink({{"stats_to_track", "[iter_train_tme, loss]"}});
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.error().message, testing::HasSubstr("did you mean 'ITER_TRAIN_TIME'"));
    EXPECT_TRUE(make_terminal_sink({{"stats_to_track", "[loss, val/acc]"}}).ok());
}

TEST(LocalWriter, OtherRanksAreSilent) {
    Fixture f(false);
    auto sink = f.open({});
    SinkContext context;
    context.rank = 1;
    sink->open(context).value();
    f.write(*sink, training(3).all());
    sink->close(RunState::Finished).value();
    EXPECT_EQ(f.bytes, "");
}

TEST(LocalWriter, FindingT01_ABadEndIsSaidBelowTheTable) {
    for (const bool interactive : {true, false}) {
        Fixture f(interactive);
        auto sink = f.open(kTracked);
        f.write(*sink, training(3).all());
        sink->give_reason("fit stopped by an exception: out of luck \x1B[2J");
        sink->close(RunState::Failed).value();
        EXPECT_EQ(f.terminal.lines().back(),
                  "failed: fit stopped by an exception: out of luck \\x1b[2J");
    }
}

TEST(LocalWriter, FindingT01_OfRanksOnlyTheFirstSaysItAndAGoodEndSaysNothing) {
    Fixture f(false);
    TerminalSink second(parse_terminal_options({}).value(), f.screen);
    second.open({.rank = 1}).value();
    second.give_reason("rank 0 stopped");
    second.close(RunState::Failed).value();
    auto good = f.open({});
    good->give_reason("an earlier try failed");
    good->close(RunState::Finished).value();
    EXPECT_EQ(f.bytes, "");
}

}  // namespace
}  // namespace taffrail::sinks::terminal
