// The workspace on real run folders, and on a source whose runs fail in every way there is.
#include "server/workspace.h"

#include "io/files.h"
#include "io/open_files.h"
#include "io/temporary_folder.h"
#include "query/fake_run.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/open_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

namespace taffrail::server {
namespace {

using query::FakeRun;

std::string make_finished_run(const std::string& root, const std::string& id) {
    const std::string folder = store::make_run_folder(root, id, "run").value();
    tlog::FileIdentity identity;
    identity.run_id = id;
    identity.writer = 1;
    store::open_log(folder, identity).value()->close(RunState::Finished).value();
    return folder;
}

std::shared_ptr<Workspace> open_root(const std::string& root) {
    return Workspace::open({{"", root}}, std::make_shared<StateStore>("")).value();
}

TEST(Workspace, FindingG02_RunsAreOpenedWhenLookedAtOnly) {
    const test::TemporaryFolder folder;
    const std::string root = folder.file("root");
    ASSERT_TRUE(store::make_root(root).ok());
    for (int i = 0; i < 20; ++i) {
        make_finished_run(root, "run" + std::to_string(10 + i));
    }
    const auto workspace = open_root(root);
    ASSERT_EQ(workspace->runs()->size(), 20u);
    EXPECT_EQ(workspace->open_runs().bytes(), 0u) << "summaries only";
    workspace->refresh();
    EXPECT_EQ(workspace->open_runs().bytes(), 0u);
    ASSERT_TRUE(workspace->run("run10").ok());
    EXPECT_GT(workspace->open_runs().bytes(), 0u);
    EXPECT_EQ(workspace->run("run10").value(), workspace->run("run10").value()) << "open still";
}

TEST(Workspace, FindingG01_AnEditByAnotherProcessShowsAndTheListStaysInOrder) {
    const test::TemporaryFolder folder;
    const std::string root = folder.file("root");
    ASSERT_TRUE(store::make_root(root).ok());
    for (int i = 0; i < 5; ++i) {
        make_finished_run(root, "run" + std::to_string(i));
    }
    const auto workspace = open_root(root);
    workspace->refresh();
    const auto before = workspace->runs();
    const std::uint64_t revision = workspace->revision();
    workspace->refresh();
    EXPECT_EQ(workspace->runs(), before) << "nothing happened: not even a new list";
    ASSERT_TRUE(store::add_tag((*before)[2]->info.location, "kept").ok());
    workspace->refresh();
    const auto now = workspace->runs();
    ASSERT_EQ(now->size(), before->size());
    EXPECT_GT(workspace->revision(), revision);
    for (std::size_t i = 0; i < now->size(); ++i) {
        EXPECT_EQ((*now)[i]->id, (*before)[i]->id);
        EXPECT_EQ((*now)[i]->info.tags.size(), i == 2 ? 1u : 0u);
    }
    make_finished_run(root, "run9");
    workspace->refresh();
    EXPECT_EQ(workspace->runs()->size(), 6u);
    ASSERT_TRUE(io::remove_tree((*before)[0]->info.location).ok());
    workspace->refresh();
    EXPECT_EQ(workspace->runs()->size(), 5u);
}

/// What the source of the tests below does.
struct Failing {
    std::atomic<bool> refresh_throws = false, run_throws = false, run_refuses = false;
    std::atomic<int> refreshes = 0;
};

class FailingCatalogue final : public Catalogue {
  public:
    explicit FailingCatalogue(Failing& plan) : plan_(plan) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool) const override {
        RunInfo good, bad;
        good.id = "good";
        bad.id = "bad";
        good.state = bad.state = RunState::Finished;
        return {good, bad};
    }

    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override {
        if (id == "bad" && plan_.run_throws) {
            throw std::bad_alloc();
        }
        if (id == "bad" && plan_.run_refuses) {
            return Error{ErrorCode::Corrupt, "its log is torn"};
        }
        auto run = std::make_shared<FakeRun>();
        run->described.id = id;
        run->described.state = RunState::Finished;
        run->changes = static_cast<std::uint64_t>(plan_.refreshes) + 1;
        return std::shared_ptr<RecordedRun>(std::move(run));
    }

    Result<std::vector<std::string>> refresh() override {
        ++plan_.refreshes;
        if (plan_.refresh_throws) {
            throw std::runtime_error("no memory for the list");
        }
        return std::vector<std::string>{"good", "bad"};
    }

  private:
    Failing& plan_;
};

class FailingWorkspace : public testing::Test {
  protected:
    FailingWorkspace() : root_(folder_.file("failing")) {
        EXPECT_TRUE(io::make_directories(root_).ok());
        EXPECT_TRUE(io::write_file_atomically(root_ + "/x", as_bytes("x"), false).ok());
        register_source(
            {"failing-" + root_, "fails on purpose",
             [root = root_](const std::string& path) { return path == root ? 100 : 0; },
             [this](const std::string&, const OptionMap&) -> Result<std::shared_ptr<Catalogue>> {
                 return std::shared_ptr<Catalogue>(std::make_shared<FailingCatalogue>(plan_));
             }});
    }

    static std::string message(const Workspace& workspace, std::string_view id) {
        return workspace.details(id)->info.message;
    }

    test::TemporaryFolder folder_;
    const std::string root_;
    Failing plan_;
};

TEST_F(FailingWorkspace, FindingS17_ARunThatCannotBeOpenedIsMarkedAndTheOthersServed) {
    plan_.run_throws = true;
    auto workspace = open_root(root_);
    EXPECT_EQ(workspace->runs()->size(), 2u);
    EXPECT_THAT(message(*workspace, "bad"), testing::HasSubstr("cannot be read"));
    EXPECT_EQ(message(*workspace, "good"), "");
    plan_.run_throws = false;
    plan_.run_refuses = true;
    workspace = open_root(root_);
    EXPECT_THAT(message(*workspace, "bad"), testing::HasSubstr("its log is torn"));
}

TEST_F(FailingWorkspace, FindingS17_TheWatcherSurvivesWhatItsLooksThrow) {
    const auto workspace = open_root(root_);
    EXPECT_EQ(message(*workspace, "bad"), "");
    plan_.refresh_throws = true;
    workspace->start_watching();
    const auto looked = [&](int more) {
        const int wanted = plan_.refreshes + more;
        for (int i = 0; i < 3000 && plan_.refreshes < wanted; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return plan_.refreshes >= wanted;
    };
    ASSERT_TRUE(looked(2)) << "it looks again after a look that threw";
    plan_.refresh_throws = false;
    plan_.run_throws = true;
    bool marked = false;
    for (int i = 0; i < 3000 && !marked; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        marked = message(*workspace, "bad").find("cannot be read") != std::string::npos;
    }
    EXPECT_TRUE(marked);
    EXPECT_EQ(message(*workspace, "good"), "");
    workspace->stop_watching();
}

TEST(Workspace, FindingS17_WorkOnThreadsThrowsToItsCaller) {
    std::atomic<int> done = 0;
    EXPECT_THROW(Workspace::parallel(1000,
                                     [&](std::size_t i) {
                                         ++done;
                                         if (i == 500) {
                                             throw std::bad_alloc();
                                         }
                                     }),
                 std::bad_alloc);
    EXPECT_LE(done, 1000);
    done = 0;
    Workspace::parallel(1000, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 1000);
}

}  // namespace
}  // namespace taffrail::server
