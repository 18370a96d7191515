// The numbered cases of validation and test.
#include <taffrail/aggregation.h>

#include "trainer/fixtures.h"

#include <gmock/gmock.h>

namespace taffrail::trainer_test {

namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Map = std::map<std::string, double>;

Map as_map(const std::vector<std::pair<std::string, double>>& row) {
    return {row.begin(), row.end()};
}

TEST(EvaluationCases, Case03TrainAndValidationInOneFit) {
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) {
        self.log("a", 1, {.on_step = true, .on_epoch = true});
        self.log("a2", 2);
    };
    module.validation = [](HookModule& self, std::int64_t, int) {
        self.log("b", 1, {.on_step = true, .on_epoch = true});
    };
    Trainer trainer(quiet(std::make_shared<RowLogger>()));
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2), .val = {batches(2)}}).ok());
    EXPECT_THAT(names(trainer.logged_metrics()),
                UnorderedElementsAre("a2", "a_step", "a_epoch", "b_step", "b_epoch"));
    EXPECT_THAT(names(trainer.callback_metrics()),
                UnorderedElementsAre("a", "a2", "b", "a_epoch", "b_epoch", "a_step"));
}

TEST(EvaluationCases, Case11EvaluationStepsCountPerLoaderSinceSetUp) {
    auto logger = std::make_shared<RowLogger>();
    TrainerOptions options = quiet(logger);
    options.max_epochs = 3;
    HookModule module;
    const LogOptions step{.on_step = true, .on_epoch = false};
    module.validation = [&](HookModule& self, std::int64_t, int) { self.log("val", 1, step); };
    module.test_one = [&](HookModule& self, std::int64_t, int) { self.log("test", 1, step); };
    Trainer trainer(options);
    const auto steps = [&] {
        std::vector<Step> all;
        for (const LoggedRow& row : logger->rows) {
            EXPECT_FALSE(row.metrics.contains("epoch"));
            all.push_back(row.step);
        }
        logger->rows.clear();
        return all;
    };
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(4)}}).ok());
    EXPECT_THAT(steps(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    ASSERT_TRUE(trainer.validate(module, {batches(4)}).ok());
    EXPECT_THAT(steps(), ElementsAre(0, 1, 2, 3));
    ASSERT_TRUE(trainer.test(module, {batches(4)}).ok());
    EXPECT_THAT(steps(), ElementsAre(0, 1, 2, 3));
}

TEST(EvaluationCases, Case12LoaderSuffixOnAndOff) {
    for (const bool suffix : {true, false}) {
        HookModule module;
        module.validation = [&](HookModule& self, std::int64_t, int loader) {
            self.log(suffix ? "val_loss" : "val_loss_custom_" + std::to_string(loader), 1,
                     {.add_dataloader_idx = suffix});
        };
        Trainer trainer(quiet(std::make_shared<RowLogger>()));
        ASSERT_TRUE(
            trainer.fit(module, {.train = batches(1), .val = {batches(2), batches(2)}}).ok());
        if (suffix) {
            EXPECT_THAT(
                names(trainer.logged_metrics()),
                UnorderedElementsAre("val_loss/dataloader_idx_0", "val_loss/dataloader_idx_1"));
        } else {
            EXPECT_THAT(names(trainer.logged_metrics()),
                        UnorderedElementsAre("val_loss_custom_0", "val_loss_custom_1"));
        }
    }
}

TEST(EvaluationCases, Case13TestResultsOfForkedNames) {
    HookModule module;
    module.test_one = [](HookModule& self, std::int64_t, int) {
        self.log("test_loss", 1, {.on_step = true, .on_epoch = true});
    };
    Trainer trainer(quiet(std::make_shared<RowLogger>()));
    auto one = trainer.test(module, {batches(2)});
    ASSERT_EQ(one.value().size(), 1u);
    EXPECT_EQ(as_map(one.value()[0]), (Map{{"test_loss_epoch", 1}}));
    Trainer second(quiet(std::make_shared<RowLogger>()));
    auto two = second.test(module, {batches(2), batches(2)});
    ASSERT_EQ(two.value().size(), 2u);
    EXPECT_EQ(as_map(two.value()[0]), (Map{{"test_loss_epoch/dataloader_idx_0", 1}}));
    EXPECT_EQ(as_map(two.value()[1]), (Map{{"test_loss_epoch/dataloader_idx_1", 1}}));
}

TEST(EvaluationCases, Case15EpochEndValuesStandInEveryMapAndOneRow) {
    auto logger = std::make_shared<RowLogger>();
    HookModule module;
    module.test_one = [](HookModule& self, std::int64_t, int loader) {
        self.log("foo", loader + 1);
    };
    module.test_epoch_end = [](HookModule& self) { self.log("foobar", 3); };
    Trainer trainer(quiet(logger));
    auto results = trainer.test(module, {batches(2), batches(2)});
    ASSERT_EQ(results.value().size(), 2u);
    EXPECT_EQ(as_map(results.value()[0]), (Map{{"foo/dataloader_idx_0", 1}, {"foobar", 3}}));
    EXPECT_EQ(as_map(results.value()[1]), (Map{{"foo/dataloader_idx_1", 2}, {"foobar", 3}}));
    EXPECT_THAT(
        logger->rows,
        ElementsAre(LoggedRow{
            {{"foo/dataloader_idx_0", 1}, {"foo/dataloader_idx_1", 2}, {"foobar", 3}, {"epoch", 0}},
            0}));
}

TEST(EvaluationCases, Case16MeansOfLoadersAndEpochs) {
    for (const bool in_the_middle : {false, true}) {
        auto logger = std::make_shared<RowLogger>();
        TrainerOptions options = quiet(logger);
        options.max_epochs = 2;
        if (in_the_middle) {
            options.val_check_interval = 0.5;
        }
        HookModule module;
        const auto factor = [](HookModule& self) {
            return self.trainer()->current_epoch() == 0 ? 1.0 : 10.0;
        };
        module.train = [&](HookModule& self, std::int64_t index) {
            self.log("train", static_cast<double>(1 + index) * factor(self),
                     {.on_step = false, .on_epoch = true});
        };
        module.validation = [&](HookModule& self, std::int64_t index, int loader) {
            self.log("val", static_cast<double>((1 + index) * (1 + loader)) * factor(self));
        };
        Trainer trainer(options);
        ASSERT_TRUE(
            trainer.fit(module, {.train = batches(5), .val = {batches(5), batches(5)}}).ok());
        std::vector<double> first;
        std::vector<double> second;
        std::vector<double> train;
        for (const LoggedRow& row : logger->rows) {
            for (const auto& [name, value] : row.metrics) {
                if (name == "val/dataloader_idx_0") {
                    first.push_back(value);
                }
                if (name == "val/dataloader_idx_1") {
                    second.push_back(value);
                }
                if (name == "train") {
                    train.push_back(value);
                }
            }
        }
        EXPECT_THAT(train, ElementsAre(3, 30));
        const std::size_t passes = in_the_middle ? 2 : 1;
        ASSERT_EQ(first.size(), 2 * passes);
        for (std::size_t pass = 0; pass < 2 * passes; ++pass) {
            EXPECT_EQ(first[pass], pass < passes ? 3 : 30);
            EXPECT_EQ(second[pass], pass < passes ? 6 : 60);
        }
    }
}

TEST(EvaluationCases, Case17SameNameOfTwoLoadersIsRefusedInTheSanityCheck) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.num_sanity_val_steps = 1;
    HookModule module;
    int trained = 0;
    module.train = [&](HookModule&, std::int64_t) { ++trained; };
    module.validation = [](HookModule& self, std::int64_t, int) {
        self.log("val", 1, {.add_dataloader_idx = false});
    };
    Trainer trainer(options);
    EXPECT_FALSE(trainer.fit(module, {.train = batches(1), .val = {batches(1), batches(1)}}).ok());
    ASSERT_TRUE(trainer.misuse());
    EXPECT_EQ(trainer.misuse()->code, "E8");
    EXPECT_EQ(trainer.misuse()->kind, MisuseKind::Configuration);
    EXPECT_EQ(trained, 0);
}

TEST(EvaluationCases, Case36AccuracyOfTheFirstQuarter) {
    MeanMetric accuracy;
    HookModule module;
    module.register_metric("accuracy", accuracy);
    module.validation = [&](HookModule& self, std::int64_t index, int) {
        static_cast<void>(accuracy.update(index < 8 ? 1.0 : 0.0).ok());
        self.log("val_acc", accuracy);
    };
    Trainer trainer(quiet(std::make_shared<RowLogger>()));
    ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(32)}}).ok());
    EXPECT_EQ(trainer.callback_metrics().find("val_acc"), 0.25);
}

// What loggers' routines number their points with: the batches of a phase, from 0, never one number
// twice.
TEST(EvaluationCases, OutputIsNumberedThroughOverLoadersEpochsReloadsAndStages) {
    struct Numbers final : LoggerBase {
        std::map<Phase, std::vector<std::int64_t>> seen;

        void log_iter(const DataMap& data) noexcept override {
            seen[data.phase].push_back(data.total_iters);
        }
    };

    HookModule module;
    module.train = [](HookModule& self, std::int64_t) { self.output.values["x"] = 1.0; };
    module.validation = [](HookModule& self, std::int64_t, int) { self.output.values["x"] = 1.0; };
    module.test_one = module.validation;
    auto logger = std::make_shared<Numbers>();
    TrainerOptions options = quiet();
    options.loggers = {logger};
    options.max_epochs = 2;
    options.num_sanity_val_steps = 1;
    options.reload_dataloaders_every_n_epochs = 1;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(3), .val = {batches(2), batches(1)}}).ok());
    ASSERT_TRUE(trainer.validate(module, {batches(2)}).ok());
    ASSERT_TRUE(trainer.test(module, {batches(1), batches(2)}).ok());
    EXPECT_THAT(logger->seen[Phase::Train], ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(logger->seen[Phase::Validate], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(logger->seen[Phase::Test], ElementsAre(0, 1, 2));
    EXPECT_THAT(logger->seen[Phase::Sanity], ElementsAre(0, 0));
}

TEST(EvaluationCases, ResumedFitGoesOnNumberingItsValidation) {
    struct Numbers final : LoggerBase {
        std::vector<std::int64_t> validation;

        void log_iter(const DataMap& data) noexcept override {
            if (data.phase == Phase::Validate) {
                validation.push_back(data.total_iters);
            }
        }
    };

    const std::string path = "memory://resumed/last.ckpt";
    auto logger = std::make_shared<Numbers>();
    for (const int epochs : {1, 2}) {
        HookModule module;
        module.validation = [](HookModule& self, std::int64_t, int) {
            self.output.values["x"] = 1.0;
        };
        TrainerOptions options = quiet();
        options.loggers = {logger};
        options.max_epochs = epochs;
        Trainer trainer(options);
        ASSERT_TRUE(
            trainer.fit(module, {.train = batches(1), .val = {batches(2)}}, epochs == 2 ? path : "")
                .ok());
        ASSERT_TRUE(trainer.save_checkpoint(path).ok());
    }
    EXPECT_THAT(logger->validation, ElementsAre(0, 1, 2, 3));
}

TEST(EvaluationCases, LeadingEmptyLoadersShareOneMapOthersGetNone) {
    HookModule module;
    module.test_one = [](HookModule& self, std::int64_t, int) { self.log("x", 1); };
    Trainer trainer(quiet(std::make_shared<RowLogger>()));
    const auto results = trainer.test(
        module, {batches(0), batches(0), batches(1), batches(0), batches(1), batches(0)});
    ASSERT_EQ(results.value().size(), 3u);
    EXPECT_TRUE(results.value()[0].empty());
    EXPECT_EQ(as_map(results.value()[1]), (Map{{"x/dataloader_idx_2", 1}}));
    EXPECT_EQ(as_map(results.value()[2]), (Map{{"x/dataloader_idx_4", 1}}));
}

}  // namespace

}  // namespace taffrail::trainer_test
