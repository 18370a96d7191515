#include "server/run_filter.h"

#include "server/api/api.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

RunList two_runs() {
    RunList runs;
    for (const double rate : {1e-3, 1e-4}) {
        auto run = std::make_shared<RunDetails>();
        run->info.name = "run";
        run->info.config = {{"learning_rate", rate}};
        KeyInfo key;
        key.key = "val/loss";
        key.scalar.count = 1;
        key.scalar.last = rate;
        run->keys.push_back(key);
        runs.push_back(std::move(run));
    }
    return runs;
}

/// The refusal, or one without a message.
ApiError refusal_of(std::string_view text, const RunList& runs) {
    try {
        const RunFilter filter(text, runs);
    } catch (const ApiError& error) {
        return error;
    }
    return {.message = ""};
}

TEST(RunFilter, FindingR12_AnUnknownNameIsRefusedWithTheNearestOne) {
    const RunList runs = two_runs();
    const ApiError setting = refusal_of("name:run and leraning_rate<1", runs);
    EXPECT_EQ(setting.status, 400);
    EXPECT_EQ(setting.offset, 13u);
    EXPECT_NE(setting.message.find("no run has 'leraning_rate'; did you mean 'learning_rate'?"),
              std::string::npos)
        << setting.message;
    EXPECT_NE(refusal_of("val/los.min<1", runs).message.find("no run has 'val/los.min'"),
              std::string::npos);
    EXPECT_NE(refusal_of("val/los<1", runs).message.find("did you mean 'val/loss'?"),
              std::string::npos);
    EXPECT_EQ(refusal_of("anything<1", {}).message, "") << "nothing to be known yet";
}

TEST(RunFilter, FindingR12_ANumberAgainstATextIsRefused) {
    const ApiError refused = refusal_of("val/loss<abc", two_runs());
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(refused.message.find("'val/loss' holds numbers"), std::string::npos);
}

TEST(RunFilter, MatchesWhatItShould) {
    const RunList runs = two_runs();
    const RunFilter filter("val/loss<5e-4", runs);
    EXPECT_FALSE(filter(*runs[0]));
    EXPECT_TRUE(filter(*runs[1]));
    EXPECT_TRUE(RunFilter("", runs)(*runs[0]));
}

}  // namespace
}  // namespace taffrail::server
