// kill -9 at random microseconds while file sinks deliver, also between a delivery and the note of
// it: after `sync` each record stands in their files exactly once. 30 trials a sink, 300 with
// TAFFRAIL_FULL.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "base/strings.h"
#include "io/temporary_folder.h"
#include "run/adopt.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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
    struct Shared {
        std::atomic<Step> logged;
        std::atomic<int> opened;
    };

    SinkKills() {
        shared_ = new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{};
    }

    ~SinkKills() override {
        munmap(shared_, sizeof(Shared));
        reset_diagnostics();
    }

    [[noreturn]] void log_until_killed(const std::string& root, const std::string& type,
                                       const OptionMap& options) {
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
        shared_->opened = 1;
        for (Step step = shared_->logged; step < 100'000; ++step) {
            run.log("x", oracle(step), step);
            shared_->logged = step + 1;
            if (step % 16 == 15) {
                usleep(200);
            }
        }
        pause();
        _exit(4);
    }

    // Killed twice, resumed once in between, then synced: steps by how often they arrived.
    void run_trial(const std::string& type, const std::string& folder, const OptionMap& options) {
        shared_->logged = 0;
        shared_->opened = 0;
        const std::string root = folder + "/store";
        for (int life = 0; life < 2; ++life) {
            shared_->opened = 0;
            const Step before = shared_->logged;
            boundary_ = life == 1 ? before : -1;
            const pid_t child = fork();
            if (child == 0) {
                log_until_killed(root, type, options);
            }
            for (int waited = 0;
                 (shared_->opened == 0 || shared_->logged == before) && waited < 20'000; ++waited) {
                usleep(500);
            }
            usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random_));
            kill(child, SIGKILL);
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            ASSERT_TRUE(WIFSIGNALED(status)) << status;
        }
        const auto runs = io::list(io::join(root, "runs")).value();
        const std::string run_folder = io::join(io::join(root, "runs"), runs.at(0).name);
        ASSERT_TRUE(running::adopt_orphans(run_folder, "victim").ok());
        SinkContext context;
        context.run_id = "victim";
        context.run_folder = run_folder;
        context.attempt = 1;
        for (const running::NotedSink& noted : running::noted_sinks(run_folder)) {
            const auto sink = make_sink(noted.type, noted.options).value();
            const auto delivered =
                running::deliver_backlog(run_folder, "victim", noted, *sink, context);
            ASSERT_TRUE(delivered.ok()) << delivered.error().message;
        }
    }

    void expect_each_once(const std::map<Step, int>& seen) {
        const Step logged = shared_->logged;
        ASSERT_GT(logged, 0);
        for (Step step = 0; step < logged; ++step) {
            const auto found = seen.find(step);
            ASSERT_NE(found, seen.end()) << "step " << step << " of " << logged << " is missing";
            // The life that was killed may have logged one more than it could say; the next one
            // logs that step again.
            ASSERT_LE(found->second, step == boundary_ ? 2 : 1) << "step " << step << " is doubled";
        }
        ASSERT_LE(static_cast<Step>(seen.size()), logged + 1);
    }

    static int trials() { return std::getenv("TAFFRAIL_FULL") != nullptr ? 300 : 30; }

    Shared* shared_;
    Step boundary_ = -1;
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
        std::map<Step, int> seen;
        const auto catalogue = read(folder.file("logs")).value();
        ASSERT_EQ(catalogue->runs().size(), 1u);
        const auto run = catalogue->run(catalogue->runs()[0].id).value();
        for (const Point& point : run->points("x").value()) {
            ++seen[point.step];
            ASSERT_EQ(point.value, oracle(point.step));
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
        ASSERT_EQ(lines.at(0), "step,x");
        std::map<Step, int> seen;
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const auto cells = split(lines[i], ',');
            if (cells.size() == 2) {
                const Step step = parse_int(cells[0]).value();
                ++seen[step];
                ASSERT_EQ(parse_double(cells[1]).value(), oracle(step));
            }
        }
        expect_each_once(seen);
    }
}

}  // namespace
}  // namespace taffrail
