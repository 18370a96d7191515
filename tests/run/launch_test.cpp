// Launches that have the same variables, as torchrun's defaults are the same in every launch.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/counting_file_system.h"
#include "io/temporary_folder.h"
#include "run/launch_claims.h"
#include "run/read_back.h"
#include "store/open_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

namespace taffrail {
namespace {

using Variables = std::map<std::string, std::string>;

Variables torchrun_defaults(int rank) {
    return {{"RANK", std::to_string(rank)},       {"WORLD_SIZE", "2"},
            {"LOCAL_RANK", std::to_string(rank)}, {"TORCHELASTIC_RUN_ID", "none"},
            {"MASTER_ADDR", "127.0.0.1"},         {"MASTER_PORT", "29500"},
            {"TORCHELASTIC_RESTART_COUNT", "0"}};
}

Variables mpich(int rank) {
    return {{"PMI_RANK", std::to_string(rank)}, {"PMI_SIZE", "2"}};
}

class Launches : public testing::Test {
  protected:
    // One process of a launch: logs, says that it did, and stays until it may go.
    struct Rank {
        pid_t process = 0;
        int logged = -1, may_go = -1;
    };

    Rank start(const Variables& variables, double value) {
        int to_us[2], to_it[2];
        EXPECT_EQ(pipe(to_us), 0);
        EXPECT_EQ(pipe(to_it), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(to_it[1]);
            for (const auto& [name, text] : variables) {
                setenv(name.c_str(), text.c_str(), 1);
            }
            _exit(record(value, to_us[1], to_it[0]));
        }
        close(to_us[1]);
        close(to_it[0]);
        return {child, to_us[0], to_it[1]};
    }

    int record(double value, int logged, int may_go) {
        RunOptions options;
        options.root = folder_.file("store");
        options.environment = false;
        options.machine_load.reset();
        taffrail::Run run = init(options);
        run.log("loss", value, 0);
        (void)run.flush();
        char sign = 'x';
        (void)!::write(logged, &sign, 1);
        (void)!::read(may_go, &sign, 1);
        return run.finish().ok() ? 0 : 1;
    }

    static void await_log(const Rank& rank) {
        char sign = 0;
        ASSERT_EQ(::read(rank.logged, &sign, 1), 1);
    }

    static void let_go(const Rank& rank) {
        // Said, not closed: later ranks have inherited this end of the pipe.
        ASSERT_EQ(::write(rank.may_go, "x", 1), 1);
        close(rank.may_go);
        int status = 1;
        ASSERT_EQ(waitpid(rank.process, &status, 0), rank.process);
        EXPECT_EQ(status, 0);
        close(rank.logged);
    }

    // The losses of each run.
    std::vector<std::vector<double>> runs() {
        std::vector<std::vector<double>> all;
        for (const auto& entry : io::list(folder_.file("store/runs")).value()) {
            std::vector<double> values;
            const auto records = test::read_back(folder_.file("store/runs/" + entry.name));
            for (const auto& record : records.at("loss")) {
                values.push_back(record.scalar);
                EXPECT_EQ(record.attempt, 0u);
            }
            std::ranges::sort(values);
            all.push_back(std::move(values));
        }
        std::ranges::sort(all);
        return all;
    }

    void run_both(Variables (*variables)(int), double first) {
        const Rank zero = start(variables(0), first);
        await_log(zero);
        const Rank one = start(variables(1), first + 1);
        await_log(one);
        let_go(zero);
        let_go(one);
    }

    test::TemporaryFolder folder_;
};

TEST_F(Launches, FindingR01_OneAfterTheOtherWithTorchrunsDefaultsAreTwoRuns) {
    run_both(torchrun_defaults, 10);
    run_both(torchrun_defaults, 20);
    EXPECT_EQ(runs(), (std::vector<std::vector<double>>{{10, 11}, {20, 21}}));
}

TEST_F(Launches, FindingR01_OneAfterTheOtherUnderMpichAreTwoRuns) {
    run_both(mpich, 10);
    run_both(mpich, 20);
    run_both(mpich, 30);
    EXPECT_EQ(runs(), (std::vector<std::vector<double>>{{10, 11}, {20, 21}, {30, 31}}));
}

TEST_F(Launches, FindingR01_ASecondOneBesideALivingOneIsARunOfItsOwn) {
    const Rank a0 = start(torchrun_defaults(0), 10), a1 = start(torchrun_defaults(1), 11);
    await_log(a0);
    await_log(a1);
    const Rank b0 = start(torchrun_defaults(0), 20);
    await_log(b0);
    const Rank b1 = start(torchrun_defaults(1), 21);
    await_log(b1);
    for (const Rank& rank : {a0, a1, b0, b1}) {
        let_go(rank);
    }
    EXPECT_EQ(runs(), (std::vector<std::vector<double>>{{10, 11}, {20, 21}}));
}

// Where ranks come by turns, a quick one claims its place and begins its log while another looks.
TEST_F(Launches, FindingR01_RanksThatBeginAtOnceMeetInOneRun) {
    constexpr int kRanks = 6, kRounds = 5;
    std::vector<double> expected;
    for (int rank = 0; rank < kRanks; ++rank) {
        expected.push_back(rank);
    }
    for (int round = 0; round < kRounds; ++round) {
        std::vector<Rank> ranks;
        for (int rank = 0; rank < kRanks; ++rank) {
            Variables variables = torchrun_defaults(rank);
            variables["WORLD_SIZE"] = std::to_string(kRanks);
            ranks.push_back(start(variables, rank));
        }
        for (const Rank& rank : ranks) {
            await_log(rank);
        }
        for (const Rank& rank : ranks) {
            let_go(rank);
        }
        ASSERT_EQ(runs(), (std::vector<std::vector<double>>{expected})) << "round " << round;
        std::filesystem::remove_all(folder_.file("store"));
    }
}

// Hands on every call, and does something right behind the answer to a chosen list().
class InterruptedFileSystem final : public test::CountingFileSystem {
  public:
    Result<std::vector<io::DirectoryEntry>> list(const std::string& path) override {
        auto entries = io::list(path);
        if (after_list) {
            after_list(path);
        }
        return entries;
    }

    std::function<void(const std::string& path)> after_list;
};

// The same at the one place where it could go wrong: this rank has seen no claim and no writer,
// then another claims its place and begins its log, and then this one goes on.
TEST_F(Launches, FindingR01_ARankThatBeginsWhileAnotherLooksIsNotTakenForAnEndedLaunch) {
    using run::Claimed;
    const auto files = std::make_shared<InterruptedFileSystem>();
    io::register_file_system("interrupted", files);
    const std::string run = folder_.file("run");
    ASSERT_TRUE(io::make_directories(io::join(run, "live")).ok());
    run::Launch launch;
    launch.rank_variable = "RANK";
    launch.world_size = 2;
    bool saw_claims = false, begun = false;
    files->after_list = [&](const std::string& path) {
        saw_claims |= path.ends_with("/launch");
        if (!saw_claims || begun || !path.ends_with("/live")) {
            return;
        }
        begun = true;
        run::Launch other = launch;
        other.rank = 1;
        EXPECT_EQ(run::claim_rank(run, "id", other)->claimed, Claimed::Yes);
        EXPECT_TRUE(store::open_log(run, {.run_id = "id", .writer = 1, .rank = 1}).ok());
    };
    const auto claim = run::claim_rank("interrupted://" + run, "id", launch);
    ASSERT_TRUE(claim.ok()) << claim.error().message;
    EXPECT_TRUE(begun) << "the place was not reached";
    EXPECT_EQ(claim->claimed, Claimed::Yes);
    EXPECT_EQ(claim->attempt, 0u);
    EXPECT_EQ(io::list(io::join(run, "launch"))->size(), 2u);
}

// A quick rank may have ended before a slow one begins: that is one launch.
TEST_F(Launches, ALateRankJoinsThoseThatEnded) {
    const Rank zero = start(torchrun_defaults(0), 10);
    await_log(zero);
    let_go(zero);
    const Rank one = start(torchrun_defaults(1), 11);
    await_log(one);
    let_go(one);
    EXPECT_EQ(runs(), (std::vector<std::vector<double>>{{10, 11}}));
}

// Claims of one run under different launchers, as two torchruns on one machine leave them.
TEST_F(Launches, FindingR01_AnotherLauncherIsToldByItsProcess) {
    using run::Claimed;
    run::Launch launch;
    launch.rank_variable = "RANK";
    launch.world_size = 2;
    const std::string run = folder_.file("run");
    ASSERT_TRUE(io::make_directories(run).ok());
    EXPECT_EQ(run::claim_rank(run, "id", launch)->claimed, Claimed::Yes);
    const pid_t launcher = fork();  // the rank below it is this launcher's
    if (launcher == 0) {
        const pid_t rank = fork();
        if (rank == 0) {
            launch.rank = 1;
            const auto claim = run::claim_rank(run, "id", launch);
            _exit(claim.ok() && claim->claimed == Claimed::OtherLaunch ? 0 : 1);
        }
        int status = 1;
        _exit(waitpid(rank, &status, 0) == rank && status == 0 ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(launcher, &status, 0), launcher);
    EXPECT_EQ(status, 0);
    launch.rank = 1;
    EXPECT_EQ(run::claim_rank(run, "id", launch)->claimed, Claimed::Yes)
        << "the rank of the same launcher still finds its place";
}

TEST_F(Launches, ARestartByTheLauncherIsTheNextAttempt) {
    run::Launch launch;
    launch.rank_variable = "RANK";
    launch.world_size = 2;
    const std::string run = folder_.file("run");
    ASSERT_TRUE(io::make_directories(run).ok());
    // Both are children of this launcher, one after the other.
    for (const std::uint32_t restarts : {0u, 1u}) {
        launch.restarts = restarts;
        const pid_t rank = fork();
        if (rank == 0) {
            const auto claim = run::claim_rank(run, "id", launch);
            _exit(claim.ok() && claim->claimed == run::Claimed::Yes && claim->attempt == restarts
                      ? 0
                      : 1);
        }
        int status = 1;
        ASSERT_EQ(waitpid(rank, &status, 0), rank);
        EXPECT_EQ(status, 0) << restarts;
    }
}

}  // namespace
}  // namespace taffrail
