// Sinks of a process receive what its forked children log: each record once, in the child's order,
// whenever sink and child came to be and whoever ends first.
#include "run/forked_logs.h"

#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "faults/bare_options.h"
#include "io/temporary_folder.h"
#include "record/cursor.h"
#include "record/fake_sink.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

// One byte each way between a parent and its child.
class Signal {
  public:
    Signal() { EXPECT_EQ(pipe(ends_), 0); }

    ~Signal() {
        close(ends_[0]);
        close(ends_[1]);
    }

    void give() { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }

    void await() {
        char byte = 0;
        EXPECT_EQ(::read(ends_[0], &byte, 1), 1);
    }

  private:
    int ends_[2] = {};
};

class ForkedLogsTest : public testing::Test {
  protected:
    using Run = taffrail::Run;

    ~ForkedLogsTest() override {
        set_diagnostic_handler(nullptr);
        reset_diagnostics();
    }

    Run open(Store store = Store::On) {
        RunOptions options = test::bare_options(folder_.file("store"), "family");
        options.store = store;
        if (store == Store::Off) {
            options.id.clear();  // such runs of all programs share a folder
        }
        return Run::open(options).value();
    }

    void add_sink(Run& run, std::chrono::milliseconds interval = 1h) {
        content_->flush_interval = interval;
        ASSERT_TRUE(run.add_sink(std::make_unique<test::FakeSink>(content_), "fake").ok());
    }

    static pid_t in_child(const std::function<void()>& work) {
        const pid_t child = fork();
        if (child == 0) {
            work();
            _exit(0);
        }
        return child;
    }

    static void await_end(pid_t child) {
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }

    std::vector<double> taken(std::string_view key) {
        const std::lock_guard guard(content_->mutex);
        std::vector<double> values;
        for (std::size_t i = 0; i < content_->keys.size(); ++i) {
            if (content_->keys[i] == key) {
                values.push_back(content_->values[i]);
            }
        }
        return values;
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<test::SinkContent> content_ = std::make_shared<test::SinkContent>();
};

TEST_F(ForkedLogsTest, ReachTheSinkWhileBothSidesRun) {
    Run run = open();
    add_sink(run, 5ms);
    Signal logged, taken_over;
    const pid_t child = in_child([&] {
        run.log("child", 1, 0);
        (void)run.flush();
        logged.give();
        taken_over.await();
        run.log("child", 2, 1);
    });
    logged.await();
    for (int tries = 0; tries < 6000 && taken("child").empty(); ++tries) {
        std::this_thread::sleep_for(5ms);
    }
    EXPECT_EQ(taken("child"), std::vector<double>{1});
    taken_over.give();
    await_end(child);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("child"), (std::vector<double>{1, 2})) << "it ended without a word";
    EXPECT_EQ(content_->opens, 1u);
}

TEST_F(ForkedLogsTest, OfGrandchildrenReachItToo) {
    Run run = open();
    add_sink(run);
    await_end(in_child([&] {
        run.log("child", 1, 0);
        await_end(in_child([&] { run.log("grandchild", 2, 0); }));
    }));
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("child"), std::vector<double>{1});
    EXPECT_EQ(taken("grandchild"), std::vector<double>{2});
}

TEST_F(ForkedLogsTest, ReachASinkOfARunThatIsNotStored) {
    Run run = open(Store::Off);
    add_sink(run);
    run.log("parent", 1, 0);
    await_end(in_child([&] { run.log("child", 2, 0); }));
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("parent"), std::vector<double>{1});
    EXPECT_EQ(taken("child"), std::vector<double>{2});
}

// Like its parent, a child is delivered from the moment the sink is there.
TEST_F(ForkedLogsTest, StartWhereTheyStandWhenASinkIsAddedLater) {
    Run run = open();
    Signal logged, sink_added;
    const pid_t child = in_child([&] {
        run.log("child", 1, 0);
        (void)run.flush();
        logged.give();
        sink_added.await();
        run.log("child", 2, 1);
    });
    const pid_t dead = in_child([&] { run.log("dead", 1, 0); });
    await_end(dead);
    logged.await();
    add_sink(run);
    sink_added.give();
    await_end(child);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("child"), std::vector<double>{2});
    EXPECT_EQ(taken("dead"), std::vector<double>{});
}

TEST_F(ForkedLogsTest, OfAChildThatOutlivesItsParentAreLeftForSync) {
    std::string said;
    set_diagnostic_handler([&](DiagnosticLevel, std::string_view text) { said += text; });
    Run run = open();
    add_sink(run);
    const std::string run_folder = run.folder();
    Signal logged, finished;
    const pid_t child = in_child([&] {
        run.log("child", 1, 0);
        (void)run.flush();
        logged.give();
        finished.await();
        run.log("child", 2, 1);
    });
    logged.await();
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("child"), std::vector<double>{1});
    EXPECT_NE(said.find("taffrail sync"), std::string::npos) << said;
    const auto noted = transfer::noted_sinks(run_folder);
    ASSERT_EQ(noted.size(), 1u);
    const auto again = [&]() -> Result<std::unique_ptr<Sink>> {
        return std::unique_ptr<Sink>(std::make_unique<test::FakeSink>(content_));
    };
    EXPECT_EQ(transfer::deliver_backlog(run_folder, "family", noted[0], again).value(), 0u)
        << "it lives";
    finished.give();
    await_end(child);
    ASSERT_TRUE(transfer::adopt_orphans(run_folder, "family").ok());
    EXPECT_EQ(transfer::deliver_backlog(run_folder, "family", noted[0], again).value(), 1u);
    EXPECT_EQ(taken("child"), (std::vector<double>{1, 2}));
}

// Two deliverers of one log would hand over everything twice.
TEST_F(ForkedLogsTest, OfDeadChildrenAreLeftToTheirParentWhileItLives) {
    Run run = open();
    add_sink(run);
    await_end(in_child([&] {
        run.log("child", 1, 0);
        (void)run.flush();
    }));
    EXPECT_TRUE(transfer::find_backlogs(run.folder(), "family", "fake")->empty());
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(taken("child"), std::vector<double>{1});
    for (const auto& backlog : *transfer::find_backlogs(run.folder(), "family", "fake")) {
        ADD_FAILURE() << backlog.cursor_path << " stands at " << backlog.start.file_number << ':'
                      << backlog.start.offset << ", not at the end";
    }
}

TEST_F(ForkedLogsTest, OfOtherProcessesAreNotTheSinksBusiness) {
    Run run = open();
    add_sink(run);
    await_end(in_child([&] { run.log("child", 1, 0); }));
    ASSERT_TRUE(transfer::adopt_orphans(run.folder(), "family").ok());
    run::ForkedLogs stranger(run.folder(), "", "fake", 12345);
    EXPECT_TRUE(stranger.take().empty());
    ASSERT_TRUE(run.finish().ok());
}

}  // namespace
}  // namespace taffrail
