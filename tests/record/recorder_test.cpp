#include "record/recorder.h"

#include "base/diagnostics.h"
#include "record/fake_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <thread>

namespace taffrail::record {
namespace {

using namespace std::chrono_literals;
using test::Recording;

// The oracle of the fault tests: every value tells where it belongs.
double oracle(std::uint64_t thread, std::uint64_t series, std::uint64_t number) {
    return std::bit_cast<double>((thread << 48 | series << 32 | number) ^ 0x3FF0000000000000u);
}

TEST(Recorder, GivesBackRowsInOrderBitForBit) {
    Recording run;
    auto& lone = run.row({"lone"});
    auto& wide = run.row({"a", "b", "c"});
    const double odd[] = {-0.0, std::bit_cast<double>(0x7FF4DEADBEEF0001u), 5e-324};
    run.log(lone, 7, {1.5});
    run.recorder->log(wide, INT64_MAX, odd);
    run.log(wide, INT64_MIN, {1, 2, 3});
    const auto b = run.points("b");
    ASSERT_EQ(b.size(), 2u);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(b[0].value), 0x7FF4DEADBEEF0001u);
    EXPECT_EQ(b[0].step, INT64_MAX);
    EXPECT_EQ(b[1].step, INT64_MIN);
    EXPECT_TRUE(std::signbit(run.points("a")[0].value));
    EXPECT_EQ(run.points("c")[0].value, 5e-324);
    EXPECT_EQ(run.points("lone")[0].step, 7);
    EXPECT_EQ(run.points("lone")[0].seq, 1u);
    EXPECT_EQ(b[0].seq, 2u);
    EXPECT_LE(b[0].time_ns, b[1].time_ns);
    EXPECT_NEAR(static_cast<double>(b[0].time_ns), static_cast<double>(wall_time_ns()), 5e9);
}

TEST(Recorder, SurvivesManyLapsOfASmallRing) {
    Recording run(
        {.flush_interval = 5ms, .ring_budget_bytes = kMinRingBytes, .ring_bytes = kMinRingBytes});
    auto& lone = run.row({"x"});
    auto& wide = run.row({"a", "b", "c", "d", "e", "f", "g"});
    constexpr int kCount = 100'000;
    for (int i = 0; i < kCount; ++i) {
        run.log(lone, i, {static_cast<double>(i)});
        if (i % 3 == 0) {
            run.log(wide, i, {1.0 * i, 2.0 * i, 3, 4, 5, 6, 7.0 * i});
        }
    }
    const auto x = run.points("x");
    ASSERT_EQ(x.size(), kCount);
    for (int i = 0; i < kCount; ++i) {
        ASSERT_EQ(x[static_cast<std::size_t>(i)].value, i);
    }
    const auto g = run.points("g");
    ASSERT_EQ(g.size(), (kCount + 2) / 3);
    EXPECT_EQ(g.back().value, 7.0 * (kCount - 1));
    EXPECT_EQ(run.recorder->stats().gaps, 0u);
    EXPECT_EQ(run.recorder->stats().records,
              static_cast<std::uint64_t>(kCount + 7 * ((kCount + 2) / 3)));
    EXPECT_EQ(run.recorder->stats().written, run.recorder->stats().records);
}

TEST(Recorder, GrowsRingsAheadOfNeedAndKeepsTheContext) {
    Recording run(
        {.flush_interval = 10ms, .ring_budget_bytes = 8 << 20, .ring_bytes = kMinRingBytes});
    run.recorder->change_context([](Context& context) { context.epoch = 4; });
    auto& wide = run.row({"a", "b", "c", "d"});
    constexpr int kCount = 200'000;
    for (int i = 0; i < kCount; ++i) {
        run.log(wide, i, {1.0 * i, 2, 3, 4});
    }
    const auto a = run.points("a");
    ASSERT_EQ(a.size(), kCount);
    for (int i = 0; i < kCount; ++i) {
        ASSERT_EQ(a[static_cast<std::size_t>(i)].value, i);
        ASSERT_EQ(a[static_cast<std::size_t>(i)].epoch, 4);
    }
    EXPECT_EQ(io::list(run.folder.file("ring")).value().size(), 2u) << "one ring and the key file";
    EXPECT_GT(run.content->positions.size(), 1u) << "it never moved to a bigger ring";
}

TEST(Recorder, CountsEveryLostValueWhenTheLogStandsStill) {
    Recording run({.overflow = Overflow::CountGap,
                   .flush_interval = 5ms,
                   .ring_budget_bytes = kMinRingBytes,
                   .ring_bytes = kMinRingBytes});
    auto& wide = run.row({"a", "b", "c"});
    run.content->stall = true;
    constexpr int kCount = 50'000;
    for (int i = 0; i < kCount; ++i) {
        run.log(wide, i, {1, 2, 3});
    }
    run.content->stall = false;
    run.flush();
    run.log(wide, kCount, {1, 2, 3});
    const auto points = run.points("a");
    std::uint64_t lost = 0;
    for (const auto& gap : run.content->gaps) {
        lost += gap.lost;
        EXPECT_LE(gap.first_time_ns, gap.last_time_ns);
    }
    EXPECT_GT(lost, 0u);
    EXPECT_EQ(points.size() * 3 + lost, 3u * (kCount + 1));
    EXPECT_EQ(run.recorder->stats().gaps, lost);
    EXPECT_EQ(points.back().step, kCount) << "goes on after the gap";
}

TEST(Recorder, BlocksForALimitedTimeThenCounts) {
    Recording run({.overflow = Overflow::Block,
                   .overflow_wait = 50ms,
                   .flush_interval = 5ms,
                   .ring_budget_bytes = kMinRingBytes,
                   .ring_bytes = kMinRingBytes});
    auto& lone = run.row({"x"});
    run.content->stall = true;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10'000; ++i) {
        run.log(lone, i, {1});
    }
    const auto took = std::chrono::steady_clock::now() - start;
    run.content->stall = false;
    EXPECT_GE(took, 50ms);
    EXPECT_LT(took, 5s) << "must not wait again for each call";
    const auto points = run.points("x");
    run.flush();
    EXPECT_EQ(points.size() + run.recorder->stats().gaps, 10'000u);
    for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_EQ(points[i].step, static_cast<Step>(i)) << "a full ring was written over";
    }
    EXPECT_GE(run.recorder->stats().blocked_ns, 50'000'000u);
}

TEST(Recorder, KeepsEverythingWhileTheLogFails) {
    Recording run({.flush_interval = 5ms});
    auto& lone = run.row({"x"});
    run.log(lone, 0, {0});
    run.content->fail = true;
    for (int i = 1; i < 1000; ++i) {
        run.log(lone, i, {static_cast<double>(i)});
    }
    const auto refused = run.recorder->flush(false, 1s);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::NoSpace);
    EXPECT_TRUE(run.recorder->first_failure().has_value());
    run.content->fail = false;
    const auto x = run.points("x");
    ASSERT_EQ(x.size(), 1000u);
    EXPECT_EQ(x.back().value, 999);
    EXPECT_EQ(run.recorder->stats().gaps, 0u);
}

TEST(Recorder, TakesTheNextStepOfAKeyWhenNoneIsGiven) {
    Recording run;
    auto& a = run.row({"a"});
    auto& ab = run.row({"a", "b"});
    run.log(a, kAutoStep, {0});
    run.log(a, kAutoStep, {0});
    run.log(ab, kAutoStep, {0, 0});  // a stands at 2, b at 0
    run.log(a, 10, {0});
    run.log(a, 5, {0});
    run.log(ab, kAutoStep, {0, 0});
    run.log(a, INT64_MAX, {0});
    run.log(a, kAutoStep, {0});
    std::vector<Step> steps;
    for (const auto& point : run.points("a")) {
        steps.push_back(point.step);
    }
    std::sort(steps.begin(), steps.end());
    EXPECT_EQ(steps, (std::vector<Step>{0, 1, 2, 5, 10, 11, INT64_MAX, INT64_MAX}));
    EXPECT_EQ(run.points("b").back().step, 11);
}

TEST(Recorder, RecordsCarryTheContextOfTheirMoment) {
    Recording run;
    auto& a = run.row({"a"});
    run.log(a, 0, {0});
    run.recorder->change_context([](Context& context) { context.epoch = 1.5; });
    run.log(a, 1, {0});
    run.recorder->change_context([](Context& context) { context.samples = 64, context.phase = 2; });
    std::thread([&] { run.log(a, 2, {0}); }).join();
    const auto points = run.points("a");
    ASSERT_EQ(points.size(), 3u);
    EXPECT_TRUE(std::isnan(points[0].epoch));
    EXPECT_EQ(points[0].samples, INT64_MIN);
    EXPECT_EQ(points[1].epoch, 1.5);
    EXPECT_EQ(points[2].epoch, 1.5);
    EXPECT_EQ(points[2].samples, 64);
    EXPECT_EQ(points[2].phase, 2);
}

TEST(Recorder, ThreadsKeepTheirOrderAndLoseNothing) {
    Recording run({.flush_interval = 5ms});
    constexpr std::uint64_t kThreads = 8, kCount = 5'000;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
            const std::string key = "thread/" + std::to_string(thread);
            auto& row = run.row({std::string_view(key)});
            for (std::uint64_t i = 0; i < kCount; ++i) {
                run.log(row, static_cast<Step>(i), {oracle(thread, 1, i)});
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        const auto points = run.points("thread/" + std::to_string(thread));
        ASSERT_EQ(points.size(), kCount);
        for (std::uint64_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(points[i].value),
                      std::bit_cast<std::uint64_t>(oracle(thread, 1, i)));
        }
    }
}

TEST(Recorder, ShortThreadsShareFewRings) {
    Recording run;
    auto& row = run.row({"x"});
    for (int i = 0; i < 500; ++i) {
        std::thread([&] { run.log(row, i, {1}); }).join();
    }
    EXPECT_EQ(run.points("x").size(), 500u);
    EXPECT_EQ(io::list(run.folder.file("ring")).value().size(), 2u) << "one ring and the key file";
}

TEST(Recorder, RowsWiderThanAnEntryStayWhole) {
    Recording run;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kMaxRowWidth * 2 + 5; ++i) {
        names.push_back("k" + std::to_string(i));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    auto* row = run.recorder->keys().row(views);
    ASSERT_NE(row, nullptr);
    std::vector<double> values(names.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i);
    }
    std::size_t offset = 0;
    for (auto* part = row; part != nullptr; part = part->continuation) {
        run.recorder->log(*part, 3, values.data() + offset);
        offset += part->width;
    }
    EXPECT_EQ(offset, names.size());
    EXPECT_EQ(run.points("k0").at(0).value, 0);
    EXPECT_EQ(run.points(names.back()).at(0).value, static_cast<double>(names.size() - 1));
}

TEST(Recorder, HandlesAfterFinishCountAndDoNothing) {
    detail::RowCore* row = nullptr;
    Recorder* recorder = nullptr;
    {
        Recording run;
        row = &run.row({"x"});
        recorder = run.recorder;
        run.log(*row, 0, {1});
    }
    const double value = 1;
    recorder->log(*row, 1, &value);
    recorder->log(*row, 2, &value);
    EXPECT_EQ(recorder->stats().errors, 2u);
    EXPECT_EQ(recorder->stats().written, 1u);
}

TEST(Recorder, FinishRemovesRingsAndClosesTheLog) {
    Recording run;
    run.log(run.row({"x"}), 0, {1});
    ASSERT_TRUE(run.recorder->finish(RunState::Finished, 10s).ok());
    EXPECT_TRUE(run.content->closed);
    EXPECT_FALSE(io::exists(run.folder.file("ring")));
    EXPECT_TRUE(run.recorder->finish(RunState::Finished, 10s).ok()) << "idempotent";
}

TEST(Recorder, FinishOnABrokenLogIsBoundedAndLeavesTheRings) {
    Recording run({.flush_interval = 5ms});
    run.content->fail = true;
    run.log(run.row({"x"}), 0, {1});
    const auto finished = run.recorder->finish(RunState::Finished, 100ms);
    ASSERT_FALSE(finished.ok());
    EXPECT_EQ(io::list(run.folder.file("ring")).value().size(), 2u);
}

TEST(Recorder, ValuesAndMetaTravelInlineOrThroughTheSpool) {
    Recording run;
    const std::uint32_t key = run.recorder->keys().key("note", Kind::Text);
    const std::string small = "small", large(100'000, 'x');
    const ByteSpan small_part[] = {as_bytes(small)};
    const ByteSpan large_parts[] = {as_bytes(std::string_view(large).substr(0, 10)),
                                    as_bytes(std::string_view(large).substr(10))};
    EXPECT_TRUE(run.recorder->log_bytes(BytesKind::Value, key, 1, small_part));
    EXPECT_TRUE(run.recorder->log_bytes(BytesKind::Value, key, kAutoStep, large_parts));
    EXPECT_TRUE(run.recorder->log_bytes(BytesKind::Meta, 5, 0, small_part));
    EXPECT_TRUE(run.recorder->log_bytes(BytesKind::Console, 1, 0, small_part));
    run.flush();
    const auto& values = run.content->values["note"];
    ASSERT_EQ(values.size(), 2u);
    EXPECT_EQ(values[0].metadata, small);
    EXPECT_EQ(values[1].metadata, large);
    EXPECT_EQ(values[1].step, 2);
    EXPECT_EQ(values[1].seq, values[0].seq + 1);
    ASSERT_EQ(run.content->meta.size(), 1u);
    EXPECT_EQ(run.content->meta[0].second, small);
    EXPECT_EQ(run.content->console, small);
    EXPECT_TRUE(run.content->pending.empty());
    EXPECT_EQ(run.recorder->stats().records, 2u);
    EXPECT_EQ(run.recorder->stats().written, 2u);
}

TEST(Recorder, SeveralRunsInOneThreadDoNotMix) {
    Recording first, second;
    auto& a = first.row({"x"});
    auto& b = second.row({"x"});
    for (int i = 0; i < 1000; ++i) {
        first.log(a, i, {1});
        second.log(b, i, {2});
    }
    for (const auto& point : first.points("x")) {
        ASSERT_EQ(point.value, 1);
    }
    EXPECT_EQ(second.points("x").size(), 1000u);
}

}  // namespace
}  // namespace taffrail::record
