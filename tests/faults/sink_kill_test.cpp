// kill -9 at random microseconds while file sinks deliver, also between a delivery and the note of
// it: after `sync` each record of the process and of a child it forked stands in their files
// exactly once. 30 trials a sink, 300 with TAFFRAIL_FULL.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "base/strings.h"
#include "io/temporary_folder.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

// Exact in a float, which is all that event files hold.
double oracle(Step step) {
    return static_cast<double>(step % 1'000'003) * 0.5;
}

class SinkKills : public testing::Test {
  protected:
    // The process that opens the run, and the child it forks.
    struct Logger {
        const char* key;
        std::atomic<Step> logged;
        Step boundary;  ///< the first step of the second life
    };

    struct Shared {
        Logger parent{"x", 0, -1}, child{"child", 0, -1};
        std::atomic<pid_t> child_process;
    };

    SinkKills() {
        shared_ = new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // the children of killed processes end here
    }

    ~SinkKills() override {
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        munmap(shared_, sizeof(Shared));
        reset_diagnostics();
    }

    [[noreturn]] static void log_until_killed(taffrail::Run& run, Logger& logger) {
        for (Step step = logger.logged; step < 100'000; ++step) {
            run.log(logger.key, oracle(step), step);
            logger.logged = step + 1;
            if (step % 16 == 15) {
                usleep(200);
            }
        }
        pause();
        _exit(4);
    }

    [[noreturn]] void live(const std::string& root, const std::string& type,
                           const OptionMap& options) {
        setpgid(0, 0);
        RunOptions made;
        made.root = root;
        made.id = "victim";
        made.environment = false;
        made.machine_load.reset();
        made.flush_interval = 1ms;
        made.resume = Resume::Allow;
        taffrail::Run run = init(made);
        if (!run.add_sink(type, options).ok()) {
            _exit(3);
        }
        const pid_t child = fork();
        if (child == 0) {
            log_until_killed(run, shared_->child);
        }
        shared_->child_process = child;
        log_until_killed(run, shared_->parent);
    }

    // Killed twice, resumed once in between, then synced.
    void run_trial(const std::string& type, const std::string& folder, const OptionMap& options) {
        for (Logger* logger : {&shared_->parent, &shared_->child}) {
            logger->logged = 0;
            logger->boundary = -1;
        }
        const std::string root = folder + "/store";
        for (int life = 0; life < 2; ++life) {
            const Step before = shared_->parent.logged, before_child = shared_->child.logged;
            if (life == 1) {
                shared_->parent.boundary = before;
                shared_->child.boundary = before_child;
            }
            const pid_t process = fork();
            if (process == 0) {
                live(root, type, options);
            }
            for (int waited = 0;
                 (shared_->parent.logged == before || shared_->child.logged == before_child) &&
                 waited < 60'000;
                 ++waited) {
                usleep(500);
            }
            usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random_));
            kill(-process, SIGKILL);
            for (const pid_t dead : {process, shared_->child_process.load()}) {
                int status = 0;
                ASSERT_EQ(waitpid(dead, &status, 0), dead);
                ASSERT_TRUE(WIFSIGNALED(status)) << status;
            }
        }
        const auto runs = io::list(io::join(root, "runs")).value();
        const std::string run_folder = io::join(io::join(root, "runs"), runs.at(0).name);
        ASSERT_TRUE(transfer::adopt_orphans(run_folder, "victim").ok());
        for (const transfer::NotedSink& noted : transfer::noted_sinks(run_folder)) {
            const auto delivered = transfer::deliver_backlog(
                run_folder, "victim", noted, [&] { return make_sink(noted.type, noted.options); });
            ASSERT_TRUE(delivered.ok()) << delivered.error().message;
        }
    }

    // Steps by key and how often they arrived.
    using Seen = std::map<std::string, std::map<Step, int>>;

    void expect_each_once(Seen& seen) {
        for (const Logger* logger : {&shared_->parent, &shared_->child}) {
            SCOPED_TRACE(logger->key);
            const Step logged = logger->logged;
            ASSERT_GT(logged, 0);
            const std::map<Step, int>& steps = seen[logger->key];
            for (Step step = 0; step < logged; ++step) {
                const auto found = steps.find(step);
                ASSERT_NE(found, steps.end())
                    << "step " << step << " of " << logged << " is missing";
                // The life that was killed may have logged one more than it could say; the next
                // one logs that step again.
                ASSERT_LE(found->second, step == logger->boundary ? 2 : 1)
                    << "step " << step << " is doubled";
            }
            ASSERT_LE(static_cast<Step>(steps.size()), logged + 1);
        }
    }

    static int trials() { return std::getenv("TAFFRAIL_FULL") != nullptr ? 300 : 30; }

    Shared* shared_;
    std::mt19937_64 random_{std::random_device{}()};
};

TEST_F(SinkKills, LeaveEveryRecordOnceInEventFiles) {
    for (int trial = 0; trial < trials() && !HasFatalFailure(); ++trial) {
        SCOPED_TRACE("trial " + std::to_string(trial));
        test::TemporaryFolder folder;
        run_trial("tensorboard", folder.path(),
                  {{"log_dir", folder.file("logs")}, {"flush_secs", "0.001"}, {"max_queue", "1"}});
        if (HasFatalFailure()) {
            return;
        }
        Seen seen;
        const auto catalogue = read(folder.file("logs")).value();
        ASSERT_EQ(catalogue->runs().size(), 1u);
        const auto run = catalogue->run(catalogue->runs()[0].id).value();
        for (const char* key : {"x", "child"}) {
            for (const Point& point : run->points(key).value()) {
                ++seen[key][point.step];
                ASSERT_EQ(point.value, oracle(point.step));
            }
        }
        expect_each_once(seen);
    }
}

TEST_F(SinkKills, LeaveEveryRecordOnceInTheTable) {
    for (int trial = 0; trial < trials() && !HasFatalFailure(); ++trial) {
        SCOPED_TRACE("trial " + std::to_string(trial));
        test::TemporaryFolder folder;
        run_trial("csv", folder.path(),
                  {{"log_dir", folder.file("logs")}, {"flush_logs_every_n_steps", "1"}});
        if (HasFatalFailure()) {
            return;
        }
        const std::string text = io::read_text(folder.file("logs/metrics.csv")).value();
        const auto lines = split(text, '\n');
        const auto columns = split(lines.at(0), ',');
        ASSERT_EQ(columns.size(), 3u) << lines[0];
        const auto step_column =
            static_cast<std::size_t>(std::ranges::find(columns, "step") - columns.begin());
        ASSERT_LT(step_column, columns.size()) << lines[0];
        Seen seen;
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const auto cells = split(lines[i], ',');
            for (std::size_t column = 0; column < cells.size(); ++column) {
                if (column != step_column && !cells[column].empty()) {
                    const Step step = parse_int(cells.at(step_column)).value();
                    ++seen[std::string(columns.at(column))][step];
                    ASSERT_EQ(parse_double(cells[column]).value(), oracle(step));
                }
            }
        }
        expect_each_once(seen);
    }
}

}  // namespace
}  // namespace taffrail
