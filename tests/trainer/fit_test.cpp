// The loop itself: order of hooks, limits, streams, stops, signals.
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <csignal>

namespace taffrail::trainer_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Writes down which hooks ran.
class Recorder : public Module {
  public:
    std::vector<std::string> hooks;

    void setup(Stage) override { note("setup"); }

    void configure_optimizers() override { note("configure_optimizers"); }

    void on_fit_start() override { note("on_fit_start"); }

    void on_train_start() override { note("on_train_start"); }

    void on_train_epoch_start() override { note("on_train_epoch_start"); }

    void on_train_batch_start(const Batch&, std::int64_t) override { note("on_train_batch_start"); }

    void optimizer_step(const std::function<void()>& closure) override {
        note("optimizer_step");
        Module::optimizer_step(closure);
    }

    void training_step(const Batch&, std::int64_t) override { note("training_step"); }

    void on_before_zero_grad() override { note("on_before_zero_grad"); }

    void optimizer_zero_grad() override { note("optimizer_zero_grad"); }

    void on_before_backward() override { note("on_before_backward"); }

    void backward() override { note("backward"); }

    void on_after_backward() override { note("on_after_backward"); }

    void on_before_optimizer_step() override { note("on_before_optimizer_step"); }

    void configure_gradient_clipping() override { note("configure_gradient_clipping"); }

    void apply_gradients() override { note("apply_gradients"); }

    void on_train_batch_end(const Batch&, std::int64_t) override { note("on_train_batch_end"); }

    void on_validation_start() override { note("on_validation_start"); }

    void validation_step(const Batch&, std::int64_t, int) override { note("validation_step"); }

    void on_validation_end() override { note("on_validation_end"); }

    void on_train_epoch_end() override { note("on_train_epoch_end"); }

    void on_train_end() override { note("on_train_end"); }

    void on_fit_end() override { note("on_fit_end"); }

    void teardown(Stage) override { note("teardown"); }

  private:
    void note(const char* hook) { hooks.emplace_back(hook); }
};

TEST(Fit, HooksRunInTheDocumentedOrder) {
    Recorder module;
    Trainer trainer(quiet());
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(1)}}).ok());
    EXPECT_THAT(module.hooks,
                ElementsAre("setup", "configure_optimizers", "on_fit_start", "on_train_start",
                            "on_train_epoch_start", "on_train_batch_start", "optimizer_step",
                            "training_step", "on_before_zero_grad", "optimizer_zero_grad",
                            "on_before_backward", "backward", "on_after_backward",
                            "on_before_optimizer_step", "configure_gradient_clipping",
                            "apply_gradients", "on_train_batch_end", "on_validation_start",
                            "validation_step", "on_validation_end", "on_train_epoch_end",
                            "on_train_end", "on_fit_end", "teardown"));
}

TEST(Fit, AccumulationStepsOnEveryKthAndTheLastBatch) {
    Recorder module;
    TrainerOptions options = quiet();
    options.accumulate_grad_batches = 2;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(5)}).ok());
    EXPECT_EQ(std::ranges::count(module.hooks, "optimizer_step"), 3);
    EXPECT_EQ(std::ranges::count(module.hooks, "optimizer_zero_grad"), 3);
    EXPECT_EQ(trainer.global_step(), 3);
}

std::shared_ptr<Loader> stream(std::int64_t length) {
    return stream_loader([length](std::int64_t) -> std::function<std::optional<Batch>()> {
        return [left = length]() mutable -> std::optional<Batch> {
            return left-- > 0 ? std::optional(Batch(std::vector<float>(2))) : std::nullopt;
        };
    });
}

TEST(Fit, StreamsValidateAtTheirEnd) {
    Recorder module;
    TrainerOptions options = quiet();
    options.max_epochs = 2;
    options.accumulate_grad_batches = 4;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = stream(3), .val = {stream(2)}}).ok());
    EXPECT_EQ(std::ranges::count(module.hooks, "training_step"), 6);
    EXPECT_EQ(std::ranges::count(module.hooks, "optimizer_step"), 2);
    EXPECT_EQ(std::ranges::count(module.hooks, "validation_step"), 4);
}

TEST(Fit, LimitsByCountShareAndTime) {
    Recorder module;
    TrainerOptions options = quiet();
    options.limit_train_batches = 0.5;
    options.limit_val_batches = 1;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(9), .val = {batches(9)}}).ok());
    EXPECT_EQ(std::ranges::count(module.hooks, "training_step"), 4);
    EXPECT_EQ(std::ranges::count(module.hooks, "validation_step"), 1);

    Recorder timed;
    TrainerOptions clock = quiet();
    clock.max_epochs = -1;
    clock.max_time = std::chrono::milliseconds(20);
    Trainer by_time(clock);
    ASSERT_TRUE(by_time.fit(timed, {.train = batches(1000)}).ok());
    EXPECT_TRUE(by_time.should_stop());
    EXPECT_EQ(timed.hooks.back(), "teardown");
}

TEST(Fit, FastDevRunTouchesEverythingOnceAndWritesNothing) {
    Recorder module;
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 50;
    options.num_sanity_val_steps = 2;
    options.fast_dev_run = 1;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(9), .val = {batches(9)}}).ok());
    EXPECT_EQ(std::ranges::count(module.hooks, "training_step"), 1);
    EXPECT_EQ(std::ranges::count(module.hooks, "validation_step"), 1);
    EXPECT_TRUE(logger->rows.empty());
}

TEST(Fit, AStopWaitsForMinEpochs) {
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) { self.trainer()->stop(); };
    TrainerOptions options = quiet();
    options.max_epochs = 10;
    options.min_epochs = 3;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(trainer.current_epoch(), 3);
    EXPECT_EQ(trainer.global_step(), 6);
}

TEST(Fit, E16IntervalLargerThanTheEpochAndE17ShareOfNothing) {
    HookModule module;
    TrainerOptions options = quiet();
    options.val_check_interval = 5;
    Trainer interval(options);
    const auto too_long = interval.fit(module, {.train = batches(2), .val = {batches(1)}});
    ASSERT_FALSE(too_long.ok());
    EXPECT_EQ(interval.misuse()->code, "E16");
    EXPECT_EQ(interval.misuse()->kind, MisuseKind::BadValue);
    EXPECT_THAT(too_long.error().message, HasSubstr("limit_val_batches"));

    TrainerOptions counted = quiet();
    counted.check_val_every_n_epoch = std::nullopt;
    Trainer over_epochs(counted);
    EXPECT_FALSE(over_epochs.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(over_epochs.misuse()->code, "E16");
    EXPECT_EQ(over_epochs.misuse()->kind, MisuseKind::Configuration);

    TrainerOptions share = quiet();
    share.limit_train_batches = 0.1;
    Trainer none(share);
    const auto empty = none.fit(module, {.train = batches(5)});
    ASSERT_FALSE(empty.ok());
    EXPECT_EQ(none.misuse()->code, "E17");
    EXPECT_THAT(empty.error().message, HasSubstr("use at least 0.2"));
}

TEST(Fit, StepRowsFollowTheInterval) {
    for (const auto& [every, expected] :
         std::map<std::int64_t, std::vector<Step>>{{50, {49, 99}}, {40, {39, 79, 119}}, {0, {}}}) {
        auto logger = std::make_shared<RowLogger>();
        HookModule module;
        module.train = [](HookModule& self, std::int64_t) { self.log("loss", 1); };
        TrainerOptions options = quiet(logger);
        options.log_every_n_steps = every == 50 ? TrainerOptions{}.log_every_n_steps : every;
        Trainer trainer(options);
        ASSERT_TRUE(trainer.fit(module, {.train = batches(120)}).ok());
        std::vector<Step> steps;
        for (const LoggedRow& row : logger->rows) {
            steps.push_back(row.step);
        }
        EXPECT_EQ(steps, expected);
    }
}

// Plain numbers keep no graph: the option is taken and changes nothing but the slot's identity.
TEST(Fit, EnableGraphIsAccepted) {
    auto logger = std::make_shared<RowLogger>();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("loss", 2, {.enable_graph = true});
    };
    Trainer trainer(quiet(logger));
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1)}).ok());
    EXPECT_THAT(logger->rows, ElementsAre(LoggedRow{{{"loss", 2}, {"epoch", 0}}, 0}));
}

// The handler sets a request; the batch is finished and the run ends as it should.
TEST(Fit, ControlCEndsCleanlyAfterTheBatch) {
    for (const int signal : {SIGINT, SIGTERM}) {
        auto logger = std::make_shared<RowLogger>();
        Recorder hooks;

        class Interrupted : public Recorder {
          public:
            int signal = 0;

            void training_step(const Batch& batch, std::int64_t index) override {
                Recorder::training_step(batch, index);
                if (index == 1) {
                    std::raise(signal);
                }
            }
        } module;

        module.signal = signal;
        TrainerOptions options = quiet(logger);
        options.handle_signals = true;
        Trainer trainer(options);
        ASSERT_TRUE(trainer.fit(module, {.train = batches(5), .val = {batches(1)}}).ok());
        EXPECT_EQ(trainer.interrupted_by(), signal);
        EXPECT_EQ(trainer.global_step(), 2);
        EXPECT_EQ(std::ranges::count(module.hooks, "validation_step"), 0);
        EXPECT_EQ(module.hooks.back(), "teardown");
        EXPECT_THAT(logger->ends, ElementsAre(RunState::Aborted));
    }
}

TEST(Fit, ASecondControlCStopsAtOnce) {
    EXPECT_EXIT(
        {
            HookModule module;
            module.train = [](HookModule&, std::int64_t) {
                std::raise(SIGINT);
                std::raise(SIGINT);
            };
            TrainerOptions options = quiet();
            options.handle_signals = true;
            Trainer trainer(options);
            static_cast<void>(trainer.fit(module, {.train = batches(5)}).ok());
        },
        testing::KilledBySignal(SIGINT), "press Ctrl-C again");
}

TEST(Fit, AnIteratorStepDrawsItsOwnBatches) {
    class Drawing : public Module {
      public:
        int drawn = 0;

        [[nodiscard]] bool takes_iterator() const override { return true; }

        void training_step(BatchSource& source, std::int64_t) override {
            for (int part = 0; part < 2 && source.next(); ++part) {
                ++drawn;
            }
            log("drawn", drawn, {.batch_size = 2});
        }
    } module;

    Trainer trainer(quiet());
    ASSERT_TRUE(trainer.fit(module, {.train = batches(4)}).ok());
    EXPECT_EQ(module.drawn, 4);
}

TEST(Fit, ThePredictLoopRefusesLogAndTheRunFails) {
    class Predicting : public Module {
        void predict_step(const Batch&, std::int64_t, int) override { log("a", 1); }
    } module;

    Trainer trainer(quiet());
    EXPECT_FALSE(trainer.predict(module, {batches(1)}).ok());
    EXPECT_EQ(trainer.misuse()->code, "E13");
}

}  // namespace

}  // namespace taffrail::trainer_test
