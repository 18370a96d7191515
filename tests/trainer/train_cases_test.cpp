// The numbered cases of training: what is logged where, when, and under which name.
#include <taffrail/aggregation.h>

#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail::trainer_test {

namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(LogCases, Case01ThreeViewsOfStepAndEpochValues) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 2;
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("default", 1);
        self.log("l_s", 1, {.logger = true, .on_step = true, .on_epoch = false});
        self.log("l_e", 1, {.logger = true, .on_step = false, .on_epoch = true});
        self.log("l_se", 1, {.logger = true, .on_step = true, .on_epoch = true});
        self.log("p_s", 1, {.prog_bar = true, .logger = false, .on_step = true, .on_epoch = false});
        self.log("p_e", 1, {.prog_bar = true, .logger = false, .on_step = false, .on_epoch = true});
        self.log("p_se", 1, {.prog_bar = true, .logger = false, .on_step = true, .on_epoch = true});
    };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_THAT(names(trainer.logged_metrics()),
                UnorderedElementsAre("default", "l_s", "l_e", "l_se_step", "l_se_epoch"));
    EXPECT_THAT(names(trainer.progress_bar_metrics()),
                UnorderedElementsAre("p_s", "p_e", "p_se_step", "p_se_epoch"));
    EXPECT_THAT(names(trainer.callback_metrics()),
                UnorderedElementsAre("default", "l_s", "l_e", "l_se_step", "l_se_epoch", "p_s",
                                     "p_e", "p_se_step", "p_se_epoch", "l_se", "p_se"));
}

TEST(LogCases, Case02DictionaryAndEpochEndHook) {
    auto logger = std::make_shared<RowLogger>();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("a", 1, {.on_step = true, .on_epoch = true});
        self.log_dict({{"a1", 2}, {"a2", 3}});
    };
    module.train_epoch_end = [](HookModule& self) {
        self.log("b1", 1);
        self.log("b", 2, {.prog_bar = true});
    };
    Trainer trainer(quiet(logger));
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_THAT(names(trainer.logged_metrics()),
                UnorderedElementsAre("a_step", "a_epoch", "a1", "a2", "b1", "b"));
    EXPECT_THAT(names(trainer.progress_bar_metrics()), UnorderedElementsAre("b"));
    EXPECT_THAT(names(trainer.callback_metrics()),
                UnorderedElementsAre("a", "a_step", "a_epoch", "a1", "a2", "b1", "b"));
}

TEST(LogCases, Case05Reductions) {
    HookModule module;
    const auto log = [](HookModule& self, std::int64_t index) {
        const double value = static_cast<double>(index);
        const LogOptions epoch{.on_step = false, .on_epoch = true};
        LogOptions options = epoch;
        options.reduce_fx = Reduce::Min;
        self.log("min", index, options);
        options.reduce_fx = "max";
        self.log("max", value, options);
        options.reduce_fx = "avg";
        self.log("avg", value, options);
        options.reduce_fx = "SUM";
        self.log("sum", value, options);
    };
    module.train = log;
    module.validation = [&](HookModule& self, std::int64_t index, int) { log(self, index); };
    for (const auto& [batch_count, most] :
         std::map<std::int64_t, double>{{3, 2}, {11, 10}, {5, 4}}) {
        TrainerOptions options = quiet();
        Trainer trainer(options);
        ASSERT_TRUE(trainer.fit(module, {.train = batches(batch_count)}).ok());
        const auto trained = items(trainer.callback_metrics());
        EXPECT_EQ(trained.at("min"), 0);
        EXPECT_EQ(trained.at("max"), most);
        EXPECT_EQ(trained.at("avg"), most / 2);
        EXPECT_EQ(trained.at("sum"), most * (most + 1) / 2);
        ASSERT_TRUE(trainer.validate(module, {batches(batch_count)}).ok());
        EXPECT_EQ(items(trainer.callback_metrics()), trained);
    }
}

TEST(LogCases, Case06StepAndEpochRowsInOrder) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 2;
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("foo", 0, {.on_step = true, .on_epoch = true});
    };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_THAT(logger->rows, ElementsAre(LoggedRow{{{"foo_step", 0}, {"epoch", 0}}, 0},
                                          LoggedRow{{{"foo_step", 0}, {"epoch", 0}}, 1},
                                          LoggedRow{{{"foo_epoch", 0}, {"epoch", 0}}, 1},
                                          LoggedRow{{{"foo_step", 0}, {"epoch", 1}}, 2},
                                          LoggedRow{{{"foo_step", 0}, {"epoch", 1}}, 3},
                                          LoggedRow{{{"foo_epoch", 0}, {"epoch", 1}}, 3}));
}

TEST(LogCases, Case08StepRowsDoNotRestartPerEpoch) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = -1;
    options.max_steps = 10;
    options.log_every_n_steps = 5;
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) { self.log("foo", 1); };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(3)}).ok());
    EXPECT_THAT(logger->rows, ElementsAre(LoggedRow{{{"foo", 1}, {"epoch", 1}}, 4},
                                          LoggedRow{{{"foo", 1}, {"epoch", 3}}, 9}));
}

TEST(LogCases, Case09TrainStartValueComesOnceWithTheFirstEpochRow) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 2;
    HookModule module;
    module.train_start = [](HookModule& self) { self.log("foo", 123); };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1)}).ok());
    EXPECT_THAT(logger->rows, ElementsAre(LoggedRow{{{"foo", 123}, {"epoch", 0}}, 0}));
}

TEST(LogCases, Case18SanityValuesAreGoneWhenTrainingStarts) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.num_sanity_val_steps = 2;
    HookModule module;
    int seen = 0;
    module.validation = [](HookModule& self, std::int64_t, int) {
        self.log("val_loss", 1, {.prog_bar = true, .on_step = true, .on_epoch = true});
    };
    module.batch_start = [&](HookModule& self, std::int64_t index) {
        if (index == 0) {
            ++seen;
            EXPECT_TRUE(self.trainer()->callback_metrics().empty());
            EXPECT_TRUE(self.trainer()->logged_metrics().empty());
            EXPECT_TRUE(self.trainer()->progress_bar_metrics().empty());
        }
    };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2), .val = {batches(3)}}).ok());
    EXPECT_EQ(seen, 1);
    EXPECT_TRUE(trainer.callback_metrics().contains("val_loss"));
}

TEST(LogCases, Case19SumsOverBatchHooks) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.num_sanity_val_steps = 2;
    HookModule module;
    const LogOptions sum{.on_step = false, .on_epoch = true, .reduce_fx = Reduce::Sum};
    module.batch_start = [&](HookModule& self, std::int64_t) {
        self.log("on_train_batch_start", 1.0, sum);
    };
    module.batch_end = [&](HookModule& self, std::int64_t) {
        self.log("on_train_batch_end", 1.0, sum);
    };
    module.validation = [&](HookModule& self, std::int64_t, int) {
        self.log("validation_step", 1.0, sum);
    };
    module.train_epoch_start = [](HookModule& self) { self.log("epoch_start", 3.0); };
    module.train_epoch_end = [](HookModule& self) { self.log("epoch_end", 3.0); };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(3), .val = {batches(3)}}).ok());
    for (const auto& [name, value] : items(trainer.callback_metrics())) {
        EXPECT_EQ(value, 3.0) << name;
    }
    EXPECT_EQ(trainer.callback_metrics().size(), 5u);
}

TEST(LogCases, Case24EpochOfTheProgramWins) {
    auto logger = std::make_shared<RowLogger>();
    HookModule module;
    module.train = [](HookModule& self, std::int64_t index) {
        self.log("epoch", -static_cast<double>(index));
    };
    Trainer trainer(quiet(logger));
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(items(trainer.logged_metrics()), (std::map<std::string, double>{{"epoch", -1}}));
    EXPECT_EQ(logger->rows.back().metrics.at("epoch"), -1);

    HookModule without_sink;
    without_sink.train = [](HookModule& self, std::int64_t) { self.log("a", 1, {.logger = true}); };
    Trainer alone(quiet());
    ASSERT_TRUE(alone.fit(without_sink, {.train = batches(1)}).ok());
    EXPECT_THAT(alone.warnings(), ElementsAre("W3"));
}

TEST(LogCases, Case34MetricObjectAtEveryLevel) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 3;
    SumMetric a;
    SumMetric b;
    SumMetric c;
    HookModule module;
    module.register_metric("a", a);
    module.register_metric("b", b);
    module.register_metric("c", c);
    module.train = [&](HookModule& self, std::int64_t index) {
        const auto value = static_cast<double>(index);
        static_cast<void>(a.forward(value).ok() && b.forward(value).ok() && c.forward(value).ok());
        self.log("a", a, {.on_step = true, .on_epoch = true});
        self.log("b", b, {.on_step = false, .on_epoch = true});
        self.log("c", c, {.on_step = true, .on_epoch = false});
    };
    module.batch_end = [](HookModule& self, std::int64_t index) {
        EXPECT_EQ(self.trainer()->callback_metrics().find("a_step"), static_cast<double>(index));
        EXPECT_EQ(self.trainer()->callback_metrics().find("c"), static_cast<double>(index));
    };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(5)}).ok());
    EXPECT_EQ(trainer.callback_metrics().find("b"), 10);
    EXPECT_EQ(trainer.callback_metrics().find("a_epoch"), 10);
    EXPECT_EQ(a.find_state("sum_value")->front(), 0);
    EXPECT_EQ(std::ranges::count_if(logger->rows,
                                    [](const LoggedRow& row) { return row.metrics.contains("b"); }),
              3);
}

TEST(LogCases, Case39BarViewHoldsTheLastEpoch) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.max_epochs = 3;
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("foo", self.trainer()->current_epoch(),
                 {.prog_bar = true, .on_step = false, .on_epoch = true});
    };
    module.train_epoch_end = [](HookModule& self) {
        self.log("foo_2", self.trainer()->current_epoch(), {.prog_bar = true, .on_epoch = true});
    };
    int checked = 0;
    module.train_end = [&](HookModule& self) {
        ++checked;
        EXPECT_EQ(items(self.trainer()->progress_bar_metrics()),
                  (std::map<std::string, double>{{"foo", 2}, {"foo_2", 2}}));
    };
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(checked, 1);
}

TEST(LogCases, Case54ExceptionInFitStartEndsLoggersAsFailedOnce) {
    auto logger = std::make_shared<RowLogger>();
    HookModule module;
    module.fit_start = [](HookModule&) { throw std::runtime_error("no data today"); };
    Trainer trainer(quiet(logger));
    const auto done = trainer.fit(module, {.train = batches(2)});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, testing::HasSubstr("no data today"));
    EXPECT_THAT(logger->ends, ElementsAre(RunState::Failed));
    EXPECT_TRUE(trainer.exception() != nullptr);
}

}  // namespace

}  // namespace taffrail::trainer_test
