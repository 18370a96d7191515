// Names, steps and numbers nobody would choose: each comes back as it was given (bytes that are no
// UTF-8: repaired), from the log, from the sealed files, and through the sealed files alone.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "base/utf8.h"
#include "faults/bare_options.h"
#include "io/temporary_folder.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

class OddInput : public testing::Test {
  protected:
    using Run = taffrail::Run;

    RunOptions options() const {
        RunOptions made = test::bare_options(folder_.file("store"), "odd");
        made.seal_on_finish = false;
        return made;
    }

    std::shared_ptr<RecordedRun> reader() const {
        return read(folder_.file("store")).value()->run("odd").value();
    }

    // The same question to the log, to log and sealed files, and to the sealed files alone.
    template <typename Check>
    void in_every_form(const std::string& run_folder, Check check) {
        {
            SCOPED_TRACE("log");
            check(*reader());
        }
        ASSERT_TRUE(store::seal_finished(run_folder).ok());
        {
            SCOPED_TRACE("log and sealed files");
            check(*reader());
        }
        ASSERT_GT(store::drop_sealed_logs(run_folder, 0ns).value(), 0u);
        SCOPED_TRACE("sealed files");
        check(*reader());
    }

    test::TemporaryFolder folder_;
};

TEST_F(OddInput, KeysOfEveryKindComeBack) {
    using namespace std::string_literals;
    const std::vector<std::string> keys = {"",
                                           std::string(65'536, 'k'),
                                           "with\0nul"s,
                                           "two\nlines",
                                           "..",
                                           "../../etc/passwd",
                                           "/",
                                           "a//b",
                                           "🚢⚓ loss",
                                           "not utf-8 \xff\xfe",
                                           "\"quoted\", 'both'",
                                           " ",
                                           "train/loss"};
    Run run = Run::open(options()).value();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        run.log(keys[i], static_cast<double>(i), 7);
        run.log_text(keys[i] + "t", "text " + std::to_string(i), 7);
    }
    run.log(std::string(65'537, 'x'), 1.0, 0);  // too long: counted, said once, not recorded
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().errors, 2u)
        << "the key that is too long, and the text key made from the longest";
    reset_diagnostics();
    in_every_form(run.folder(), [&](const RecordedRun& back) {
        std::size_t scalars = 0;
        for (const KeyInfo& key : back.keys()) {
            scalars += key.kind == Kind::Scalar;
        }
        EXPECT_EQ(scalars, keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            SCOPED_TRACE(keys[i].substr(0, 40));
            const auto points = back.points(repair_utf8(keys[i]));
            ASSERT_TRUE(points.ok()) << points.error().message;
            ASSERT_EQ(points->size(), 1u);
            EXPECT_EQ(points->at(0).value, static_cast<double>(i));
            EXPECT_EQ(points->at(0).step, 7);
            if (keys[i].size() < 65'536) {
                const auto texts = back.entries(repair_utf8(keys[i]) + "t");
                ASSERT_TRUE(texts.ok()) << texts.error().message;
                EXPECT_EQ(std::get<Text>(*texts->at(0).value).text, "text " + std::to_string(i));
            }
        }
    });
    EXPECT_FALSE(io::exists(folder_.file("etc")));
    EXPECT_EQ(io::list(folder_.path()).value().size(), 1u) << "nothing is written beside the store";
}

TEST_F(OddInput, StepsInAnyOrderAndAtTheEndsOfTheirRangeComeBack) {
    const std::vector<Step> steps = {5, 5, 3, INT64_MAX, INT64_MIN, 0, -1, INT64_MAX, 4, 5};
    Run run = Run::open(options()).value();
    Row row = run.row("a", "b");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        run.log("lone", static_cast<double>(i), steps[i]);
        row.log(steps[i], static_cast<double>(i), -static_cast<double>(i));
    }
    ASSERT_TRUE(run.finish().ok());
    in_every_form(run.folder(), [&](const RecordedRun& back) {
        for (const char* key : {"lone", "a"}) {
            std::multimap<double, Step> seen, expected;
            for (const Point& point : back.points(key).value()) {
                seen.emplace(point.value, point.step);
            }
            for (std::size_t i = 0; i < steps.size(); ++i) {
                expected.emplace(static_cast<double>(i), steps[i]);
            }
            EXPECT_EQ(seen, expected) << key;
            const auto bins = back.bins(key, {.width = 16}).value();
            EXPECT_EQ(bins.points, steps.size()) << key;
        }
    });
}

TEST_F(OddInput, NumbersComeBackBitForBit) {
    using Limits = std::numeric_limits<double>;
    std::vector<std::uint64_t> patterns = {0x7FF8000000000000,  // NaN
                                           0x7FF8000000C0FFEE,  // with a payload
                                           0xFFF80000DEADBEEF,  // negative
                                           0x7FF0000000000001,  // signalling
                                           0xFFF7FFFFFFFFFFFF,
                                           std::bit_cast<std::uint64_t>(-0.0),
                                           std::bit_cast<std::uint64_t>(0.0),
                                           std::bit_cast<std::uint64_t>(Limits::denorm_min()),
                                           std::bit_cast<std::uint64_t>(-Limits::denorm_min()),
                                           0x000FFFFFFFFFFFFF,  // the largest denormal
                                           std::bit_cast<std::uint64_t>(Limits::max()),
                                           std::bit_cast<std::uint64_t>(Limits::lowest()),
                                           std::bit_cast<std::uint64_t>(Limits::infinity()),
                                           std::bit_cast<std::uint64_t>(-Limits::infinity()),
                                           std::bit_cast<std::uint64_t>(0.1)};
    Run run = Run::open(options()).value();
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        run.log("x", std::bit_cast<double>(patterns[i]), static_cast<Step>(i));
    }
    ASSERT_TRUE(run.finish().ok());
    in_every_form(run.folder(), [&](const RecordedRun& back) {
        const auto points = back.points("x").value();
        ASSERT_EQ(points.size(), patterns.size());
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(points[i].value), patterns[i]) << i;
        }
    });
}

}  // namespace
}  // namespace taffrail
