// One rank of a run dies: the others learn which one from the run folder alone.
#include "run/peer_watch.h"

#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/temporary_folder.h"
#include "run/run_core.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/open_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

class RankWatch : public testing::Test {
  protected:
    using Run = taffrail::Run;

    // Ranks of one launch, told so as launchers do it.
    RankWatch() { setenv("TAFFRAIL_RUN_ID", "00000000000000000000000007", 1); }

    ~RankWatch() override {
        unsetenv("TAFFRAIL_RUN_ID");
        set_diagnostic_handler(nullptr);
        reset_diagnostics();
    }

    RunOptions options(int rank) {
        RunOptions made;
        made.root = folder_.file("store");
        made.environment = false;
        made.machine_load.reset();
        made.rank = rank;
        made.world_size = 2;
        return made;
    }

    // A process that is rank 1 and says when it has begun.
    pid_t start_rank_one(void (*end)(Run&)) {
        int ready[2];
        EXPECT_EQ(pipe(ready), 0);
        const pid_t child = fork();
        if (child == 0) {
            Run run = Run::open(options(1)).value();
            run.log("loss", 1.0, 0);
            (void)run.flush();
            (void)!::write(ready[1], "x", 1);
            end(run);
            _exit(0);
        }
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        close(ready[0]);
        close(ready[1]);
        return child;
    }

    test::TemporaryFolder folder_;
};

TEST_F(RankWatch, NamesTheRankThatWasKilled) {
    const pid_t child = start_rank_one([](Run&) { pause(); });
    std::string said;
    set_diagnostic_handler([&](DiagnosticLevel, std::string_view text) { said += text; });
    Run run = Run::open(options(0)).value();
    std::promise<std::string> told;
    const auto number = detail::RunInside::core(run)->on_rank_gone(
        [&](const std::string& how) { told.set_value(how); });
    auto how = told.get_future();
    EXPECT_EQ(how.wait_for(500ms), std::future_status::timeout) << "it lives";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_EQ(how.wait_for(60s), std::future_status::ready);
    EXPECT_NE(how.get().find("rank 1 (process " + std::to_string(child)), std::string::npos);
    detail::RunInside::core(run)->forget_listener(number);
    const std::string folder = run.folder();
    ASSERT_TRUE(run.finish(RunState::Failed).ok());
    EXPECT_NE(said.find("rank 1"), std::string::npos) << said;
    const auto info = store::glance_at_run(folder).info;
    EXPECT_EQ(info.state, RunState::Crashed);
    EXPECT_NE(info.message.find("rank 1 (process"), std::string::npos) << info.message;
}

TEST_F(RankWatch, SaysNothingOfARankThatFinished) {
    Run run = Run::open(options(0)).value();
    std::atomic<bool> told = false;
    const auto number =
        detail::RunInside::core(run)->on_rank_gone([&](const std::string&) { told = true; });
    const pid_t child = start_rank_one([](Run& other) { (void)other.finish(); });
    waitpid(child, nullptr, 0);
    std::this_thread::sleep_for(600ms);  // three looks
    detail::RunInside::core(run)->forget_listener(number);
    EXPECT_FALSE(told);
}

TEST_F(RankWatch, TakesSilenceOfAnotherMachineForItsEnd) {
    store::make_root(folder_.file("store")).value();
    const std::string run =
        store::make_run_folder(folder_.file("store"), "00000000000000000000000007", "far").value();
    tlog::FileIdentity far;
    far.run_id = "00000000000000000000000007";
    far.writer = 77;
    far.rank = 3;
    far.world_size = 4;
    far.host = "elsewhere";
    far.process_id = 1;
    far.boot_id = "not this boot";
    const auto log = store::open_log(run, far).value();
    std::promise<std::int32_t> told;
    auto rank = told.get_future();
    std::atomic<std::chrono::milliseconds::rep> clock_ms{1000};
    std::atomic<int> readings{0};
    const run::PeerWatch watch(
        {.run_folder = run,
         .interval = 1ms,
         .silence = 300s,
         .now =
             [&] {
                 ++readings;
                 return std::chrono::steady_clock::time_point(
                     std::chrono::milliseconds(clock_ms.load()));
             }},
        [&](std::int32_t number, const std::string&) { told.set_value(number); });
    const auto await_looks = [&](int count) {
        for (const int before = readings; readings < before + count;) {
            std::this_thread::sleep_for(1ms);
        }
    };
    await_looks(3);
    clock_ms += 299'000;
    await_looks(3);
    EXPECT_EQ(rank.wait_for(0s), std::future_status::timeout) << "not silent for long enough";
    clock_ms += 2'000;
    ASSERT_EQ(rank.wait_for(60s), std::future_status::ready);
    EXPECT_EQ(rank.get(), 3);
}

TEST_F(RankWatch, KeepsTheFirstReasonOfTheState) {
    Run run = Run::open(options(0)).value();
    detail::RunInside::core(run)->give_reason("first");
    detail::RunInside::core(run)->give_reason("second");
    const std::string folder = run.folder();
    ASSERT_TRUE(run.finish(RunState::Failed).ok());
    EXPECT_EQ(store::glance_at_run(folder).info.message.substr(0, 5), "first");
}

}  // namespace
}  // namespace taffrail
