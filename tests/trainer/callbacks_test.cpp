// Early stop, checkpoints and monitors on real fits.
#include <taffrail/communicators.h>

#include "base/diagnostics.h"
#include "io/files.h"
#include "trainer/fixtures.h"
#include "trainer/result_table.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <thread>

namespace taffrail::trainer_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Logs one value per epoch as "val_loss", from validation.
void set_losses(HookModule& module, std::vector<double> losses) {
    module.validation = [losses = std::move(losses)](HookModule& self, std::int64_t, int) {
        const auto epoch = static_cast<std::size_t>(self.trainer()->current_epoch());
        self.log("val_loss", losses[std::min(epoch, losses.size() - 1)]);
    };
}

class CallbacksTest : public testing::Test {
  protected:
    void SetUp() override {
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }
};

TEST_F(CallbacksTest, EarlyStopWaitsForPatience) {
    HookModule module;
    set_losses(module, {6, 5, 4, 4.5, 4.2, 4.1, 1});
    auto stopping =
        std::make_shared<EarlyStopping>(EarlyStoppingOptions{.monitor = "val_loss", .patience = 3});
    TrainerOptions options = quiet();
    options.max_epochs = 20;
    options.callbacks = {stopping};
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(1)}}).ok());
    EXPECT_EQ(trainer.current_epoch(), 6);
    EXPECT_EQ(stopping->stopped_epoch(), 5);
    EXPECT_EQ(stopping->best_score(), 4);
    EXPECT_THAT(stopping->reason(), HasSubstr("did not improve"));
}

TEST_F(CallbacksTest, EarlyStopCountsOnlyImprovementsAboveMinDelta) {
    HookModule module;
    set_losses(module, {1.0, 0.99, 0.98, 0.97});
    auto stopping = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.monitor = "val_loss", .min_delta = 0.1, .patience = 2});
    TrainerOptions options = quiet();
    options.max_epochs = 20;
    options.callbacks = {stopping};
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(1)}}).ok());
    EXPECT_EQ(trainer.current_epoch(), 3);
}

TEST_F(CallbacksTest, EarlyStopEndsAtNanAndHonoursMaxMode) {
    HookModule module;
    set_losses(module, {1, 2, 3, std::nan("")});
    TrainerOptions options = quiet();
    options.max_epochs = 20;
    options.callbacks = {std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.monitor = "val_loss", .patience = 1, .mode = MonitorMode::Max})};
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(1)}}).ok());
    EXPECT_EQ(trainer.current_epoch(), 4);
}

TEST_F(CallbacksTest, MonitoringAMissingNameSaysWhatThereIs) {
    HookModule module;
    set_losses(module, {1});
    TrainerOptions options = quiet();
    options.callbacks = {
        std::make_shared<EarlyStopping>(EarlyStoppingOptions{.monitor = "val_los"})};
    Trainer trainer(options);
    const auto done = trainer.fit(module, {.train = batches(1), .val = {batches(1)}});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, HasSubstr("did you mean 'val_loss'"));
}

TEST_F(CallbacksTest, AllRanksStopTogether) {
    const auto ranks = thread_communicators(2);
    std::vector<std::thread> threads;
    std::vector<std::int64_t> epochs(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            HookModule module;
            // Only rank 1 stops improving.
            module.train_epoch_end = [&](HookModule& self) {
                self.log("loss",
                         rank == 1 ? 1.0 : -static_cast<double>(self.trainer()->current_epoch()));
            };
            TrainerOptions options = quiet();
            options.max_epochs = 20;
            options.communicator = ranks[rank];
            options.callbacks = {std::make_shared<EarlyStopping>(
                EarlyStoppingOptions{.monitor = "loss", .patience = 2})};
            Trainer trainer(options);
            EXPECT_TRUE(trainer.fit(module, {.train = batches(1)}).ok());
            epochs[rank] = trainer.current_epoch();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_THAT(epochs, ElementsAre(3, 3));
}

// Counts its steps, so that a resumed run can be compared with an unbroken one.
class CountingModule : public HookModule {
  public:
    std::int64_t steps = 0;

    void apply_gradients() override { ++steps; }

    std::vector<std::byte> state_dict() override {
        std::vector<std::byte> bytes(sizeof(steps));
        std::memcpy(bytes.data(), &steps, sizeof(steps));
        return bytes;
    }

    Result<void> load_state_dict(const std::vector<std::byte>& bytes) override {
        if (bytes.size() != sizeof(steps)) {
            return Error{ErrorCode::Corrupt, "not a counting module"};
        }
        std::memcpy(&steps, bytes.data(), sizeof(steps));
        return {};
    }
};

TEST_F(CallbacksTest, CheckpointsKeepTheBestAndTheLast) {
    const std::string folder = "memory://trainer_test/best";
    CountingModule module;
    set_losses(module, {5, 3, 4, 2, 6});
    auto checkpoint =
        std::make_shared<ModelCheckpoint>(ModelCheckpointOptions{.dirpath = folder,
                                                                 .filename = "{epoch}-{val_loss}",
                                                                 .monitor = "val_loss",
                                                                 .save_top_k = 2,
                                                                 .save_last = true});
    TrainerOptions options = quiet();
    options.max_epochs = 5;
    options.callbacks = {checkpoint};
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2), .val = {batches(1)}}).ok());
    EXPECT_EQ(checkpoint->best_model_path(), folder + "/epoch=3-val_loss=2.ckpt");
    EXPECT_EQ(checkpoint->best_model_score(), 2);
    EXPECT_TRUE(io::exists(folder + "/epoch=1-val_loss=3.ckpt"));
    EXPECT_FALSE(io::exists(folder + "/epoch=0-val_loss=5.ckpt"));
    EXPECT_FALSE(io::exists(folder + "/epoch=4-val_loss=6.ckpt"));
    EXPECT_TRUE(io::exists(checkpoint->last_model_path()));
}

TEST_F(CallbacksTest, FindingT04_EpochsWithoutValidationWaitForTheMonitoredValue) {
    const std::string folder = "memory://trainer_test/every_second";
    CountingModule module;
    set_losses(module, {0, 3, 0, 2});
    auto checkpoint = std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = folder, .monitor = "val_loss", .save_top_k = -1});
    TrainerOptions options = quiet();
    options.max_epochs = 4;
    options.check_val_every_n_epoch = 2;
    options.callbacks = {checkpoint};
    Trainer trainer(options);
    const auto done = trainer.fit(module, {.train = batches(2), .val = {batches(1)}});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(checkpoint->best_model_path(), folder + "/epoch=3-step=8.ckpt");
    EXPECT_TRUE(io::exists(folder + "/epoch=1-step=4.ckpt"));
    EXPECT_FALSE(io::exists(folder + "/epoch=0-step=2.ckpt"));
    EXPECT_FALSE(io::exists(folder + "/epoch=2-step=6.ckpt"));
}

TEST_F(CallbacksTest, FindingT04_ANameThatNobodyLogsIsStillAMistake) {
    CountingModule module;
    set_losses(module, {0, 3});
    TrainerOptions options = quiet();
    options.max_epochs = 4;
    options.check_val_every_n_epoch = 2;
    options.callbacks = {std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = "memory://trainer_test/nobody", .monitor = "val_los"})};
    Trainer trainer(options);
    const auto done = trainer.fit(module, {.train = batches(2), .val = {batches(1)}});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, HasSubstr("did you mean 'val_loss'"));
    EXPECT_EQ(trainer.global_step(), 4);
}

TEST_F(CallbacksTest, FindingT04_AValueOfTheTrainEpochIsMonitoredBesideAValidation) {
    const std::string folder = "memory://trainer_test/train_value";
    CountingModule module;
    set_losses(module, {1});
    module.train = [](HookModule& self, std::int64_t index) {
        self.log("train_loss", index + 10 * self.trainer()->current_epoch(),
                 {.on_step = false, .on_epoch = true});
    };
    auto checkpoint = std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = folder, .monitor = "train_loss"});
    TrainerOptions options = quiet();
    options.max_epochs = 2;
    options.callbacks = {checkpoint};
    Trainer trainer(options);
    const auto done = trainer.fit(module, {.train = batches(3), .val = {batches(1)}});
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(checkpoint->best_model_score(), 1);
    EXPECT_EQ(checkpoint->best_model_path(), folder + "/epoch=0-step=3.ckpt");
}

TEST_F(CallbacksTest, FindingT05_ScoreAndWeightsBelongTogether) {
    const std::string folder = "memory://trainer_test/score";
    CountingModule module;
    // The score is the number of steps whose weights it rates: more is better.
    module.validation = [&](HookModule& self, std::int64_t, int) {
        self.log("score", static_cast<double>(module.steps));
    };
    for (const std::int64_t every_n_steps : {0, 1}) {
        module.steps = 0;
        auto checkpoint = std::make_shared<ModelCheckpoint>(
            ModelCheckpointOptions{.dirpath = folder + std::to_string(every_n_steps),
                                   .monitor = "score",
                                   .mode = MonitorMode::Max,
                                   .every_n_train_steps = every_n_steps});
        TrainerOptions options = quiet();
        options.max_epochs = 3;
        options.val_check_interval = 2;
        options.callbacks = {checkpoint};
        Trainer trainer(options);
        const auto done = trainer.fit(module, {.train = batches(3), .val = {batches(1)}});
        ASSERT_TRUE(done.ok()) << done.error().message;
        CountingModule best;
        Trainer reader(quiet());
        ASSERT_TRUE(reader.fit(best, {.train = batches(3)}, checkpoint->best_model_path()).ok());
        EXPECT_EQ(checkpoint->best_model_score(), 8);
        EXPECT_THAT(checkpoint->best_model_path(), HasSubstr("step=8"));
    }
}

TEST_F(CallbacksTest, ResumeGoesOnWhereTheCheckpointWas) {
    const std::string folder = "memory://trainer_test/resume";
    for (const std::int64_t every : {std::int64_t{0}, std::int64_t{3}}) {
        auto logger = std::make_shared<RowLogger>();
        const auto log = [](HookModule& self, std::int64_t index) { self.log("index", index); };
        CountingModule first;
        first.train = log;
        auto checkpoint = std::make_shared<ModelCheckpoint>(ModelCheckpointOptions{
            .dirpath = folder, .save_last = true, .every_n_train_steps = every});
        TrainerOptions options = quiet();
        options.callbacks = {checkpoint};
        options.max_epochs = 1;
        ASSERT_TRUE(Trainer(options).fit(first, {.train = batches(4)}).ok());

        CountingModule second;
        second.train = log;
        options.max_epochs = 2;
        options.loggers = {logger};
        options.callbacks = {};
        Trainer resumed(options);
        const auto done = resumed.fit(second, {.train = batches(4)}, checkpoint->last_model_path());
        ASSERT_TRUE(done.ok()) << done.error().message;
        EXPECT_EQ(second.steps, 8);
        EXPECT_EQ(resumed.global_step(), 8);
        // By steps the checkpoint stands after step 3 of 4: one batch of the epoch is left.
        const Step expected = every == 0 ? 4 : 3;
        ASSERT_FALSE(logger->rows.empty());
        EXPECT_EQ(
            logger->rows.front(),
            (LoggedRow{{{"index", every == 0 ? 0 : 3}, {"epoch", every == 0 ? 1 : 0}}, expected}));
        EXPECT_EQ(logger->rows.back().step, 7);
    }
}

TEST_F(CallbacksTest, AForeignFileIsNoCheckpoint) {
    const std::string path = "memory://trainer_test/foreign.ckpt";
    const std::string text = "something else\n";
    ASSERT_TRUE(io::make_directories("memory://trainer_test").ok());
    ASSERT_TRUE(io::write_file_atomically(path, std::as_bytes(std::span(text))).ok());
    CountingModule module;
    Trainer trainer(quiet());
    const auto done = trainer.fit(module, {.train = batches(1)}, path);
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, HasSubstr("is not a checkpoint"));
}

TEST_F(CallbacksTest, MonitorsWriteAtTheStepsOfTheSinks) {
    class WithRates : public HookModule {
        [[nodiscard]] std::vector<std::pair<std::string, double>> learning_rates() const override {
            return {{"lr-SGD", 0.1}};
        }
    } module;

    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.log_every_n_steps = 2;
    ThroughputMonitorOptions rates;
    rates.throughput.window = 2;
    options.callbacks = {std::make_shared<LearningRateMonitor>(),
                         std::make_shared<ThroughputMonitor>(rates)};
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(4, 8)}).ok());
    ASSERT_EQ(logger->rows.size(), 4u);
    EXPECT_EQ(logger->rows[0], (LoggedRow{{{"lr-SGD", 0.1}}, 1}));
    EXPECT_EQ(logger->rows[1].metrics.at("train/samples"), 16);
    EXPECT_GT(logger->rows[1].metrics.at("train/device/samples_per_sec"), 0);
    EXPECT_EQ(logger->rows[3].step, 3);
}

TEST(ResultTable, OneColumnPerLoaderAndWrapping) {
    const EvaluationResults results{{{"loss/dataloader_idx_0", 0.5}, {"n", 3}},
                                    {{"loss/dataloader_idx_1", 0.25}, {"n", 3}}};
    const std::string wide = trainer::format_result_table(results, "Test metric", 100, false);
    EXPECT_THAT(wide, HasSubstr("Test metric"));
    EXPECT_THAT(wide, HasSubstr("DataLoader 1"));
    EXPECT_THAT(wide, HasSubstr("0.25"));
    EXPECT_EQ(std::ranges::count(wide, '\n'), 6);
    const std::string narrow = trainer::format_result_table(results, "Test metric", 40, false);
    EXPECT_EQ(std::ranges::count(narrow, '\n'), 12);
    EXPECT_EQ(trainer::format_result_table({{}}, "Test metric", 100, false), "");
}

}  // namespace

}  // namespace taffrail::trainer_test
