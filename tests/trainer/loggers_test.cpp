// A Trainer with real Loggers on a real run: what steps hand out, and what need not be said twice.
#include <taffrail/logger.h>
#include <taffrail/reader.h>
#include <taffrail/run.h>
#include <taffrail/training_bars.h>

#include "base/diagnostics.h"
#include "io/temporary_folder.h"
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace taffrail::trainer_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class LoggersTest : public testing::Test {
  protected:
    void SetUp() override {
        reset_diagnostics();
        set_diagnostic_handler(
            [this](DiagnosticLevel, std::string_view text) { messages.emplace_back(text); });
    }

    void TearDown() override { set_diagnostic_handler(nullptr); }

    taffrail::Run open() {
        return taffrail::Run::open(
                   {.root = folder.file("runs"), .environment = false, .machine_load = {}})
            .value();
    }

    std::shared_ptr<RecordedRun> finished(taffrail::Run& run) {
        const std::string id = run.id();
        run.finish().value();
        return read(folder.file("runs")).value()->run(id).value();
    }

    test::TemporaryFolder folder;
    std::vector<std::string> messages;
};

TEST_F(LoggersTest, FindingT08_ALoggerBringsItsRunAlong) {
    taffrail::Run run = open();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t index) { self.log("loss", index); };
    TrainerOptions options = quiet();
    options.loggers = {Logger::make(run, {.print_epochs = false}).value()};
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(3)}).ok());
    options.loggers.clear();
    EXPECT_EQ(finished(run)->points("loss").value().size(), 3u);
}

TEST_F(LoggersTest, FindingT09_AViewOfALocalIsReadWhileItLives) {
    taffrail::Run run = open();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t index) {
        std::vector<float> local(1000, static_cast<float>(index));
        self.output.values["by_output"] = TensorView(local);
        self.emit("by_emit", TensorView(local));
        self.emit("nobody_asked", TensorView(local));
        EXPECT_FALSE(self.output.values.contains("nobody_asked"));
        std::ranges::fill(local, 777.0f);  // as the stack would be by the time loggers read
    };
    TrainerOptions options = quiet();
    options.loggers = {Logger::make(run, {.routines = {"hist"},
                                          .tracked_variables = {{"hist", {"by_output", "by_emit"}}},
                                          .print_epochs = false})
                           .value()};
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(3)}).ok());
    options.loggers.clear();
    const auto recorded = finished(run);
    int histograms = 0;
    for (const KeyInfo& key : recorded->keys()) {
        if (key.kind != Kind::Histogram) {
            continue;
        }
        for (const Entry& entry : recorded->entries(key.key).value()) {
            EXPECT_LE(std::get<Histogram>(*entry.value).max, 2.0) << key.key;
            ++histograms;
        }
    }
    EXPECT_GE(histograms, 6);
}

TEST_F(LoggersTest, FindingT10_WhatLogIsGivenFeedsTheRoutinesThatTrackIt) {
    taffrail::Run run = open();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t index) {
        self.log("loss", static_cast<double>(index));
    };
    TrainerOptions options = quiet();
    auto logger = std::shared_ptr<Logger>(
        Logger::make(run, {.tracked_variables = {{"metric", {"loss"}}}, .print_epochs = false})
            .value());
    options.loggers = {logger};
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(4)}).ok());
    EXPECT_EQ(logger->iterations(Phase::Train), 4);
    options.loggers.clear();
    logger.reset();
    const auto recorded = finished(run);
    std::vector<std::string> keys;
    for (const KeyInfo& key : recorded->keys()) {
        keys.push_back(key.key);
    }
    EXPECT_THAT(keys, Contains("Metric-BatchWise/loss/train"));
}

TEST_F(LoggersTest, FindingT10_IterationsAreCountedAndAnAbsentNameIsWarnedAbout) {
    taffrail::Run run = open();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) { self.log("loss", 1.0); };
    TrainerOptions options = quiet();
    auto logger = std::shared_ptr<Logger>(
        Logger::make(run, {.tracked_variables = {{"metric", {"los"}}}, .print_epochs = false})
            .value());
    options.loggers = {logger};
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(4)}).ok());
    EXPECT_EQ(logger->iterations(Phase::Train), 4);
    EXPECT_THAT(messages, Contains(HasSubstr("'los' is tracked")));
}

TEST_F(LoggersTest, FindingT24_AValueOfAnEpochHookHasNoSeriesOfSteps) {
    taffrail::Run run = open();
    HookModule module;
    module.validation = [](HookModule& self, std::int64_t index, int) { self.log("acc", index); };
    module.validation_epoch_end = [](HookModule& self) { self.log("val/psnr_db", 20.0); };
    TrainerOptions options = quiet();
    options.run = &run;
    options.max_epochs = 2;
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(1), .val = {batches(2)}}).ok());
    const auto recorded = finished(run);
    EXPECT_EQ(recorded->points("val/psnr_db").value().size(), 2u);
    EXPECT_FALSE(recorded->points("val/psnr_db_step").ok());
    EXPECT_EQ(recorded->points("acc_step").value().size(), 4u);
}

TEST_F(LoggersTest, ShapesBarsTakeLoggersAndEpochsFromTheTrainer) {
    class Bars final : public TrainingBars {
      public:
        using TrainingBars::TrainingBars;
        BarMetrics seen;

        BarMetrics get_metrics(const MetricMap& logged) override {
            return seen = TrainingBars::get_metrics(logged);
        }
    };

    taffrail::Run run = open();
    HookModule module;
    TrainerOptions options = quiet();
    auto bars = std::make_shared<Bars>();
    options.progress_bar = bars;
    options.loggers = {Logger::make(run, {.print_epochs = false, .version = "7"}).value()};
    testing::internal::CaptureStdout();
    ASSERT_TRUE(Trainer(options).fit(module, {.train = batches(2)}).ok());
    const std::string printed = testing::internal::GetCapturedStdout();
    EXPECT_THAT(printed, HasSubstr("Epoch 0/0"));
    ASSERT_FALSE(bars->seen.empty());
    EXPECT_EQ(bars->seen[0].first, "v_num");
}

TEST(Shapes, BatchOfAnotherTypeNamesBothTypes) {
    HookModule module;

    struct Reader final : Module {
        void training_step(const Batch& batch, std::int64_t) override {
            static_cast<void>(batch.as<std::vector<double>>());
        }
    } reader;

    const auto done = Trainer(quiet()).fit(reader, {.train = batches(1)});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message,
                testing::AllOf(HasSubstr("vector<float"), HasSubstr("vector<double")));
}

TEST(Shapes, ListOfSamplesIsWeightedByItsLength) {
    BatchVisitor visitor;
    visit_batch(visitor, std::vector<std::vector<double>>(3, std::vector<double>(10)));
    EXPECT_EQ(visitor.size(), 3);
    EXPECT_FALSE(visitor.ambiguous());
}

}  // namespace
}  // namespace taffrail::trainer_test
