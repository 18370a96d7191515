// The wall clock jumps, forwards and back, while a run is recorded and between its attempts. This
// program has a clock_gettime of its own, so nobody's clock is touched.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "faults/bare_options.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<std::int64_t> shift_s{0};

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* to) noexcept {
    const long result = syscall(SYS_clock_gettime, id, to);
    if (result == 0 && id == CLOCK_REALTIME) {
        to->tv_sec += shift_s.load();
    }
    return static_cast<int>(result);
}

namespace taffrail {
namespace {

using namespace std::chrono_literals;

RunOptions options_in(const std::string& root) {
    return test::bare_options(root, "timed");
}

void log_some(Run& run, Step from, Step to) {
    for (Step step = from; step < to; ++step) {
        run.log("x", static_cast<double>(step), step);
    }
    (void)run.flush();
    std::this_thread::sleep_for(5ms);
}

// Two hours back and forth within a moment: how long it ran is one answer, and a moment.
TEST(ClockSteps, FindingO22_GoingBackIsToldAlikeByTheListAndTheRun) {
    test::TemporaryFolder folder;
    {
        taffrail::Run run = taffrail::Run::open(options_in(folder.file("store"))).value();
        log_some(run, 0, 100);
        shift_s = -7200;
        log_some(run, 100, 200);
        ASSERT_TRUE(run.finish().ok());
    }
    const auto catalogue = read(folder.file("store")).value();
    const RunInfo listed = catalogue->runs().at(0);
    const RunInfo opened = catalogue->run("timed").value()->info();
    shift_s = 0;
    EXPECT_EQ(listed.start_time_ns, opened.start_time_ns);
    EXPECT_EQ(listed.end_time_ns, opened.end_time_ns);
    EXPECT_GE(listed.end_time_ns, listed.start_time_ns) << "no run ends before it began";
    EXPECT_LT(listed.end_time_ns - listed.start_time_ns, std::int64_t{3600} * 1'000'000'000);
}

TEST(ClockSteps, NeitherReorderNorLosePoints) {
    test::TemporaryFolder folder;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t start_ns = now.tv_sec * std::int64_t{1'000'000'000};
    {
        taffrail::Run run = taffrail::Run::open(options_in(folder.file("store"))).value();
        log_some(run, 0, 100);
        shift_s = 3600;
        log_some(run, 100, 200);
        std::this_thread::sleep_for(
            1100ms);  // longer than the collector keeps its idea of the clock
        log_some(run, 200, 300);
        shift_s = -7200;
        log_some(run, 300, 400);
        ASSERT_TRUE(run.finish().ok());
    }
    const auto check = [&](std::size_t count) {
        const auto catalogue = read(folder.file("store")).value();
        ASSERT_EQ(catalogue->runs().size(), 1u);
        const auto points = catalogue->run("timed").value()->points("x").value();
        ASSERT_EQ(points.size(), count);
        for (std::size_t i = 0; i < 400; ++i) {
            ASSERT_EQ(points[i].step, static_cast<Step>(i));
            ASSERT_EQ(points[i].value, static_cast<double>(i));
            ASSERT_GE(points[i].time_ns, i == 0 ? start_ns : points[i - 1].time_ns);
            ASSERT_LT(points[i].time_ns, start_ns + std::int64_t{600} * 1'000'000'000);
        }
    };
    check(400);
    // Resumed two hours "before" it began: still the later attempt, still everything there.
    {
        RunOptions again = options_in(folder.file("store"));
        again.resume = Resume::Must;
        taffrail::Run run = taffrail::Run::open(again).value();
        log_some(run, 400, 500);
        ASSERT_TRUE(run.finish().ok());
    }
    check(500);
    const auto run = read(folder.file("store")).value()->run("timed").value();
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->info().state, RunState::Finished);
    EXPECT_EQ(run->points("x").value().back().attempt, 1u);
    shift_s = 0;
}

}  // namespace
}  // namespace taffrail
