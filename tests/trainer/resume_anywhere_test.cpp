// A fit that is stopped anywhere, by anything, and resumed gives what an unbroken one gives: the
// same values, the same number of steps.
#include "base/diagnostics.h"
#include "io/files.h"
#include "trainer/stopped_walk.h"

namespace taffrail::trainer_test {

namespace {

constexpr WalkPlace kEveryPlace[] = {WalkPlace::TrainStart,
                                     WalkPlace::EpochStart,
                                     WalkPlace::Draw,
                                     WalkPlace::BeforeTransfer,
                                     WalkPlace::Transfer,
                                     WalkPlace::BatchStart,
                                     WalkPlace::Step,
                                     WalkPlace::ZeroGrad,
                                     WalkPlace::BeforeBackward,
                                     WalkPlace::AfterBackward,
                                     WalkPlace::BeforeOptimizerStep,
                                     WalkPlace::Applied,
                                     WalkPlace::BatchEnd,
                                     WalkPlace::CallbackBatchEnd,
                                     WalkPlace::ValidationZeroGrad,
                                     WalkPlace::ValidationEval,
                                     WalkPlace::ValidationStart,
                                     WalkPlace::ValidationEpochStart,
                                     WalkPlace::ValidationDraw,
                                     WalkPlace::ValidationBatchStart,
                                     WalkPlace::Validation,
                                     WalkPlace::ValidationBatchEnd,
                                     WalkPlace::ValidationEpochEnd,
                                     WalkPlace::ValidationEnd,
                                     WalkPlace::ValidationTrain,
                                     WalkPlace::EpochEnd,
                                     WalkPlace::CallbackEpochEnd};

std::string new_folder() {
    static int number = 0;
    return "memory://resume_anywhere/" + std::to_string(++number);
}

// Stops one walk and resumes it; what it gives is held against `whole`.
void stop_and_resume(WalkOptions options, const Walk& whole, How how, WalkPlace place,
                     std::int64_t when) {
    SCOPED_TRACE("how " + std::to_string(static_cast<int>(how)) + " place " +
                 std::to_string(static_cast<int>(place)) + " time " + std::to_string(when));
    options.folder = new_folder();
    const Walk broken = walk(options, stopped_at(how, place, when));
    const bool came_to_its_end = broken.steps == whole.steps && broken.epochs == whole.epochs;
    EXPECT_EQ(broken.ok, how != How::Exception || came_to_its_end) << broken.error;
    if (broken.last.empty() || !io::exists(broken.last)) {
        // Failed before the first step, or the place was never reached.
        EXPECT_TRUE(broken.steps == 0 || came_to_its_end);
        return;
    }
    const Walk resumed = walk(options, {}, broken.logger, broken.last);
    ASSERT_TRUE(resumed.ok) << resumed.error;
    EXPECT_EQ(resumed.steps, whole.steps);
    EXPECT_EQ(resumed.epochs, whole.epochs);
    WalkValues expected = whole.logger->values;
    if (how == How::Asked) {
        // A stop that the program asks for closes its epoch, with rows of its own. Those of an
        // epoch without a batch, or with half a step, stand at the step of the rows before.
        const Step before = broken.steps - 1;
        const bool at_a_border = whole.logger->values.contains({"whole", before});
        std::erase_if(expected, [&](const auto& one) {
            return one.first.first == "epoch" ||
                   (options.accumulate > 1 && at_a_border && one.first.second == before);
        });
    }
    EXPECT_EQ(missing(expected, resumed.logger->values), "");
    if (how != How::Asked) {
        EXPECT_EQ(missing(resumed.logger->values, whole.logger->values), "");
        EXPECT_EQ(resumed.checks, whole.checks);
    }
}

void stop_everywhere(const WalkOptions& options, std::initializer_list<std::int64_t> times) {
    WalkOptions unbroken = options;
    unbroken.folder = new_folder();
    const Walk whole = walk(unbroken, {});
    ASSERT_TRUE(whole.ok) << whole.error;
    for (const How how : {How::Exception, How::Signal, How::Asked}) {
        for (const WalkPlace place : kEveryPlace) {
            // The step was taken and cannot be done again: the weights are the module's to undo,
            // and what the hooks behind a callback's would have logged is not logged.
            if (how == How::Exception &&
                (place == WalkPlace::Applied || place == WalkPlace::CallbackBatchEnd)) {
                continue;
            }
            for (const std::int64_t when : times) {
                stop_and_resume(options, whole, how, place, when);
            }
        }
    }
}

class ResumeAnywhereTest : public testing::Test {
  protected:
    void SetUp() override {
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }
};

TEST_F(ResumeAnywhereTest, FindingT06_AnyStopAnywhereResumesToTheSameValues) {
    stop_everywhere({}, {1, 2, 4, 6, 7, 9});
}

TEST_F(ResumeAnywhereTest, FindingT06_WithGradientsOfTwoBatches) {
    stop_everywhere({.accumulate = 2}, {1, 2, 4, 6, 7, 9});
}

TEST_F(ResumeAnywhereTest, FindingT06_OfStreams) {
    stop_everywhere({.stream = true}, {1, 3, 7, 9});
}

TEST_F(ResumeAnywhereTest, FindingT06_OfStepsThatDrawTheirOwnBatches) {
    stop_everywhere({.iterator = true}, {1, 3, 7, 9});
}

TEST_F(ResumeAnywhereTest, FindingT06_WithValidationsCountedOverEpochs) {
    stop_everywhere({.over_epochs = true}, {1, 2, 3, 7, 9});
}

TEST_F(ResumeAnywhereTest, FindingT06_WithTheEndOfTheStepsInsideAnEpoch) {
    stop_everywhere({.max_steps = 17}, {1, 2, 4, 6, 7, 9});
}

// Stopped again and again: what is left of one stop must not add up.
TEST_F(ResumeAnywhereTest, FindingT06_StoppedAgainAfterEveryResume) {
    // Each try gets somewhere: a validation that was cut off is done again from its start.
    struct Again {
        WalkPlace place;
        std::int64_t first, then;
    };

    const Again everywhere[] = {{WalkPlace::Step, 3, 2},
                                {WalkPlace::BatchEnd, 3, 2},
                                {WalkPlace::Validation, 2, 5},
                                {WalkPlace::EpochEnd, 1, 2}};
    const Walk whole = walk({.folder = new_folder()}, {});
    for (const How how : {How::Exception, How::Signal}) {
        for (const Again& again : everywhere) {
            SCOPED_TRACE("how " + std::to_string(static_cast<int>(how)) + " place " +
                         std::to_string(static_cast<int>(again.place)));
            const WalkOptions options{.folder = new_folder()};
            Walk now = walk(options, stopped_at(how, again.place, again.first));
            int tries = 1;
            for (; now.epochs < whole.epochs && tries < 40; ++tries) {
                ASSERT_FALSE(now.last.empty());
                now = walk(options, stopped_at(how, again.place, again.then), now.logger, now.last);
            }
            EXPECT_GT(tries, 1);
            ASSERT_TRUE(now.ok) << now.error;
            EXPECT_EQ(now.steps, whole.steps);
            EXPECT_EQ(missing(whole.logger->values, now.logger->values), "");
            EXPECT_EQ(missing(now.logger->values, whole.logger->values), "");
        }
    }
}

}  // namespace

}  // namespace taffrail::trainer_test
