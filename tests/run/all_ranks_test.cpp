// A sink that wants the records of all ranks: rank 0 hands them over, each once, whoever adds the
// sink, ends first or is killed.
#include <taffrail/run.h>
#include <taffrail/sink.h>

#include "faults/bare_options.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "record/cursor.h"
#include "transfer/adopt.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Lines in a file, which outlives the process. As sinks of trackers do it knows a record that is
/// handed over again because its process was killed before its place was noted.
class Gatherer final : public Sink {
  public:
    explicit Gatherer(std::string path) : path_(std::move(path)) {}

    Result<void> open(const SinkContext& context) override {
        return say("open rank " + std::to_string(context.rank) + " attempt " +
                   std::to_string(context.attempt));
    }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        for (const Record& record : records) {
            const std::string line = std::to_string(record.rank) + " " + std::string(record.key) +
                                     " " + std::to_string(static_cast<int>(record.scalar));
            if (const auto known = lines_of(path_); std::ranges::find(known, line) == known.end()) {
                (void)say(line);
            }
            ++delivered;
        }
        return {};
    }

    Result<void> flush() override { return {}; }

    Result<void> close(RunState state) override {
        return say("close " + std::string(to_string(state)));
    }

    [[nodiscard]] bool accepts(Kind kind) const noexcept override { return kind == Kind::Scalar; }

    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override { return 1ms; }

    [[nodiscard]] bool wants_all_ranks() const noexcept override { return true; }

  private:
    Result<void> say(const std::string& line) {
        std::ofstream(path_, std::ios::app) << line << '\n';
        return {};
    }

    std::string path_;
};

class AllRanks : public testing::Test {
  protected:
    using Run = taffrail::Run;

    AllRanks() {
        register_sink({.name = "gatherer",
                       .class_name = "Gatherer",
                       .summary = "lines in a file",
                       .make = [](const OptionMap& options) -> Result<std::unique_ptr<Sink>> {
                           return std::unique_ptr<Sink>(
                               std::make_unique<Gatherer>(options.at(0).second));
                       }});
        setenv("TAFFRAIL_RUN_ID", "ranks", 1);  // how ranks meet
    }

    ~AllRanks() override { unsetenv("TAFFRAIL_RUN_ID"); }

    RunOptions options(std::int32_t rank, Resume resume = Resume::Never) const {
        RunOptions options = test::bare_options(folder_.file("store"), "");
        options.resume = resume;
        options.rank = rank;
        options.world_size = 2;
        return options;
    }

    Run open(std::int32_t rank, Resume resume = Resume::Never) const {
        return Run::open(options(rank, resume)).value();
    }

    void add_sink(Run& run) const {
        ASSERT_TRUE(run.add_sink("gatherer", {{"path", path()}}).ok());
    }

    [[nodiscard]] std::string path() const { return folder_.file("heard"); }

    [[nodiscard]] std::vector<std::string> heard() const { return lines_of(path()); }

    void await(const std::string& line) const {
        for (int tries = 0; tries < 12'000; ++tries) {
            const auto lines = heard();
            if (std::ranges::find(lines, line) != lines.end()) {
                return;
            }
            std::this_thread::sleep_for(5ms);
        }
        FAIL() << "never heard '" << line << "'";
    }

    [[nodiscard]] std::string run_folder() const {
        const auto runs = io::list(folder_.file("store/runs")).value();
        return folder_.file("store/runs/" + runs.at(0).name);
    }

    /// What `taffrail sync` does; how many records it handed over.
    std::uint64_t sync() const {
        EXPECT_TRUE(transfer::adopt_orphans(run_folder(), "ranks").ok());
        std::uint64_t delivered = 0;
        for (const transfer::NotedSink& noted : transfer::noted_sinks(run_folder())) {
            delivered +=
                transfer::deliver_backlog(run_folder(), "ranks", noted,
                                          [&] { return make_sink(noted.type, noted.options); },
                                          {RunState::Crashed, ""})
                    .value();
        }
        return delivered;
    }

    /// Runs `work` as this rank in a process that is killed right behind it.
    void in_killed_process(std::int32_t rank, const std::function<void(Run&)>& work,
                           Resume resume = Resume::Never) const {
        const pid_t child = fork();
        if (child == 0) {
            Run run = open(rank, resume);
            work(run);
            kill(getpid(), SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << status;
    }

    test::TemporaryFolder folder_;
};

TEST_F(AllRanks, ReachRankZeroWhileTheyRunAndTheOthersHaveNoSinkOfTheirOwn) {
    Run zero = open(0), one = open(1);
    add_sink(one);
    add_sink(zero);
    zero.log("loss", 1, 0);
    one.log("loss", 2, 0);
    ASSERT_TRUE(one.flush().ok());
    await("1 loss 2");
    one.log("loss", 3, 1);
    ASSERT_TRUE(one.finish().ok());
    zero.log("loss", 4, 1);
    ASSERT_TRUE(zero.finish().ok());
    const auto lines = heard();
    EXPECT_THAT(lines, UnorderedElementsAre("open rank 0 attempt 0", "0 loss 1", "1 loss 2",
                                            "1 loss 3", "0 loss 4", "close finished"));
    EXPECT_EQ(lines.front(), "open rank 0 attempt 0");
    EXPECT_EQ(lines.back(), "close finished");
    EXPECT_EQ(sync(), 0u);
    EXPECT_EQ(heard(), lines) << "nothing is left to be told";
}

TEST_F(AllRanks, ReachItFromTheirBeginningWhereTheyAddNoSink) {
    Run one = open(1);
    one.log("loss", 1, 0);
    ASSERT_TRUE(one.flush().ok());
    Run zero = open(0);
    add_sink(zero);
    one.log("loss", 2, 1);
    ASSERT_TRUE(one.finish().ok());
    ASSERT_TRUE(zero.finish().ok());
    EXPECT_THAT(heard(),
                ElementsAre("open rank 0 attempt 0", "1 loss 1", "1 loss 2", "close finished"));
}

TEST_F(AllRanks, ThatFinishALittleLaterAreWaitedFor) {
    Run zero = open(0), one = open(1);
    add_sink(zero);
    one.log("loss", 1, 0);
    ASSERT_TRUE(one.flush().ok());
    await("1 loss 1");
    std::thread late([&] {
        std::this_thread::sleep_for(200ms);
        one.log("loss", 2, 1);
        EXPECT_TRUE(one.finish().ok());
    });
    ASSERT_TRUE(zero.finish().ok());
    late.join();
    EXPECT_THAT(heard(),
                ElementsAre("open rank 0 attempt 0", "1 loss 1", "1 loss 2", "close finished"));
}

TEST_F(AllRanks, ThatGoOnAfterRankZeroComeBySync) {
    {
        Run zero = open(0), one = open(1);
        add_sink(zero);
        one.log("loss", 1, 0);
        ASSERT_TRUE(one.flush().ok());
        await("1 loss 1");
        ASSERT_TRUE(zero.finish().ok()) << "it waits a few seconds, and no longer";
        one.log("loss", 2, 1);
        ASSERT_TRUE(one.finish().ok());
    }
    EXPECT_EQ(sync(), 1u);
    EXPECT_THAT(heard(), ElementsAre("open rank 0 attempt 0", "1 loss 1", "close finished",
                                     "open rank 0 attempt 0", "1 loss 2", "close crashed"));
    EXPECT_EQ(sync(), 0u);
}

TEST_F(AllRanks, OfKilledProcessesComeBySyncOnce) {
    in_killed_process(0, [&](Run& run) {
        add_sink(run);
        run.log("loss", 1, 0);
        (void)run.flush();
        await("0 loss 1");
        run.log("loss", 2, 1);
    });
    // This one adds no sink, and rank 0 never met its log.
    in_killed_process(1, [&](Run& run) { run.log("loss", 3, 0); });
    EXPECT_GE(sync(), 2u) << "the first one may be handed over again";
    EXPECT_THAT(heard(), ElementsAre("open rank 0 attempt 0", "0 loss 1", "open rank 0 attempt 0",
                                     "0 loss 2", "1 loss 3", "close crashed"));
    EXPECT_EQ(sync(), 0u);
}

TEST_F(AllRanks, OfAKilledAttemptComeWhenTheRunIsResumed) {
    in_killed_process(0, [&](Run& run) {
        add_sink(run);
        run.log("loss", 1, 0);
        (void)run.flush();
        await("0 loss 1");
    });
    in_killed_process(1, [&](Run& run) {
        add_sink(run);
        run.log("loss", 2, 0);
        (void)run.flush();
    });
    Run zero = open(0, Resume::Must), one = open(1, Resume::Must);
    add_sink(zero);
    add_sink(one);
    one.log("loss", 3, 1);
    ASSERT_TRUE(one.finish().ok());
    ASSERT_TRUE(zero.finish().ok());
    EXPECT_THAT(heard(), ElementsAre("open rank 0 attempt 0", "0 loss 1", "open rank 0 attempt 1",
                                     "1 loss 2", "1 loss 3", "close finished"));
    EXPECT_EQ(sync(), 0u);
}

TEST_F(AllRanks, OfAKilledRankAreLeftToRankZeroWhileItLives) {
    Run zero = open(0);
    add_sink(zero);
    in_killed_process(1, [&](Run& run) {
        run.log("loss", 1, 0);
        (void)run.flush();
        await("1 loss 1");
        run.log("loss", 2, 1);
    });
    EXPECT_EQ(sync(), 0u) << "the rows of the dead rank are in its log now, for rank 0";
    await("1 loss 2");
    ASSERT_TRUE(zero.finish().ok());
    EXPECT_THAT(heard(),
                ElementsAre("open rank 0 attempt 0", "1 loss 1", "1 loss 2", "close finished"));
}

TEST_F(AllRanks, GoIntoOneSinkThatTheRunNeverHad) {
    Run zero = open(0), one = open(1);
    zero.log("loss", 1, 0);
    one.log("loss", 2, 0);
    ASSERT_TRUE(one.finish().ok());
    ASSERT_TRUE(zero.finish().ok());
    ASSERT_TRUE(transfer::attach_sink(run_folder(), {.name = "gatherer",
                                                     .type = "gatherer",
                                                     .mask = kAllSinks,
                                                     .options = {{"path", path()}}})
                    .ok());
    EXPECT_EQ(sync(), 2u);
    EXPECT_THAT(heard(),
                ElementsAre("open rank 0 attempt 0", "0 loss 1", "1 loss 2", "close crashed"));
}

TEST_F(AllRanks, NeedTheRunFolder) {
    RunOptions without = options(0);
    without.store = Store::Off;
    Run run = Run::open(without).value();
    const auto added = run.add_sink("gatherer", {{"path", path()}});
    ASSERT_FALSE(added.ok());
    EXPECT_THAT(added.error().message, testing::HasSubstr("native store is off"));
    EXPECT_THAT(heard(), IsEmpty());
}

}  // namespace
}  // namespace taffrail
