// Signals around a stage that ranks ended together because one of them got one.
#include "trainer/signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace taffrail::trainer {

namespace {

int seen_by_program = 0;

auto handler_of(int signal) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler;
}

class SignalsTest : public testing::TestWithParam<int> {
  protected:
    void TearDown() override { std::signal(GetParam(), SIG_DFL); }
};

// Without it the process ends here, in the middle of closing its run.
TEST_P(SignalsTest, FindingT03_TheSignalThatOtherRanksToldOfMayComeLate) {
    {
        SignalScope scope(true);
        scope.expect_late(GetParam());
    }
    std::raise(GetParam());
    EXPECT_EQ(handler_of(GetParam()), SIG_DFL) << "once: the next one is meant";
}

TEST_P(SignalsTest, FindingT03_ASignalThatCameIsNotExpectedAgain) {
    {
        SignalScope scope(true);
        std::raise(GetParam());
        EXPECT_EQ(pending_signal(), GetParam());
        scope.expect_late(GetParam());
    }
    EXPECT_EQ(handler_of(GetParam()), SIG_DFL);
}

TEST_P(SignalsTest, FindingT03_TheProgramsOwnHandlerComesBackAndTheNextStageWatchesAgain) {
    seen_by_program = 0;
    std::signal(GetParam(), [](int) { ++seen_by_program; });
    {
        SignalScope scope(true);
        scope.expect_late(GetParam());
    }
    {
        const SignalScope next(true);
        std::raise(GetParam());
        EXPECT_EQ(pending_signal(), GetParam());
        EXPECT_EQ(seen_by_program, 1) << "handlers are chained";
    }
    std::raise(GetParam());
    EXPECT_EQ(seen_by_program, 2);
}

INSTANTIATE_TEST_SUITE_P(Both, SignalsTest, testing::Values(SIGINT, SIGTERM));

}  // namespace

}  // namespace taffrail::trainer
