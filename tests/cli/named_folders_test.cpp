// name1:path1,name2:path2 with the same runs in both: what two machines that log alike leave.
#include "cli/store_commands.h"

#include <gmock/gmock.h>

#include <set>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;

class NamedFolders : public StoreCommands {
  protected:
    void SetUp() override {
        StoreCommands::SetUp();
        // The same seed gives the same ids.
        other_ = io::join(folder_, "other");
        ASSERT_TRUE(generate_demo_runs(
                        other_, {.runs = 3, .points = 60, .seed = 5, .now_ns = kNow, .seal = false})
                        .ok());
        both_ = "a:" + root_ + ",b:" + other_;
    }

    std::string other_, both_;
};

TEST_F(NamedFolders, EveryCommandTakesTheIdsThatAreListed) {
    std::set<std::string> ids;
    for (const auto& [name, info] : listed(both_)) {
        const std::string id = info.string_or("id", "");
        ids.insert(id);
        const Json shown = parse_json(run({"show", "--root", both_, id, "--json"}).out).value();
        EXPECT_EQ(shown.find("run")->string_or("id", ""), id);
        EXPECT_EQ(shown.find("run")->string_or("name", ""), name);
        EXPECT_EQ(run({"tail", "--root", both_, id, "-n", "1"}).code, 0);
    }
    EXPECT_EQ(ids.size(), 6u);
}

TEST_F(NamedFolders, ExportsKeepTheRunsApart) {
    const std::string exported = run({"export", both_, "-k", "train/loss"}).out;
    EXPECT_THAT(exported, HasSubstr(R"("run":"a/)"));
    EXPECT_THAT(exported, HasSubstr(R"("run":"b/)"));
    const std::string logdir = io::join(folder_, "logs"), native = io::join(folder_, "native");
    const Outcome outcome = run({"export", both_, "-t", "tensorboard", "-o", logdir});
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(io::list(logdir).value().size(), 6u);
    // The same id is the same run, wherever it lies: only --again takes it from both folders.
    ASSERT_EQ(run({"import", both_, "--root", native, "--again"}).code, 0);
    const auto runs = listed(native);
    EXPECT_EQ(runs.size(), 6u);
    for (const auto& [name, info] : runs) {
        EXPECT_TRUE(name.starts_with("a/") || name.starts_with("b/")) << name;
    }
}

TEST_F(NamedFolders, EditsReachTheRunThatIsMeant) {
    const std::string name = names()[0];
    ASSERT_EQ(run({"tag", "b/" + name, "mine", "--root", both_}).code, 0);
    EXPECT_EQ(run({"ls", other_, "-q", "--filter", "tag:mine"}).out.size(), 27u);
    EXPECT_EQ(run({"ls", root_, "-q", "--filter", "tag:mine"}).out, "");
    const Outcome unclear = run({"tag", name, "mine", "--root", both_});
    EXPECT_EQ(unclear.code, 1);
    EXPECT_THAT(unclear.errors, HasSubstr("say which"));
}

}  // namespace
}  // namespace taffrail::cli
