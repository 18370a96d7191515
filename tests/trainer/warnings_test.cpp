// Each warning by its number: what brings it, that Trainer::warnings() lists it, and what it says.
#include <taffrail/aggregation.h>
#include <taffrail/communicators.h>
#include <taffrail/training_bars.h>

#include "base/diagnostics.h"
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <thread>

namespace taffrail::trainer_test {

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Warnings : public testing::Test {
  protected:
    void SetUp() override {
        reset_diagnostics();
        set_diagnostic_handler(
            [this](DiagnosticLevel, std::string_view text) { said.emplace_back(text); });
    }

    void TearDown() override {
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }

    /// The codes after a fit of two batches.
    std::vector<std::string> codes(const TrainerOptions& options, HookModule::Step2 train,
                                   Batch batch = Batch(std::vector<float>(4))) {
        module.train = std::move(train);
        Trainer trainer(options);
        const auto done =
            trainer.fit(module, {.train = map_loader(2, [&](std::int64_t) { return batch; })});
        EXPECT_TRUE(done.ok());
        return trainer.warnings();
    }

    HookModule module;
    std::vector<std::string> said;
};

TEST_F(Warnings, NoneWithoutACause) {
    EXPECT_THAT(codes(quiet(std::make_shared<RowLogger>()),
                      [](HookModule& self, std::int64_t) { self.log("a", 1); }),
                IsEmpty());
    EXPECT_THAT(said, IsEmpty());
}

TEST_F(Warnings, W1LogWithoutATrainerIsIgnored) {
    module.log("a", 1);
    module.log("b", 1);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], HasSubstr("not run by a Trainer"));
    EXPECT_THAT(said[0], HasSubstr("warnings_test.cpp:"));
    // The Trainer that then runs the module lists it, and nobody says it a second time.
    EXPECT_THAT(codes(quiet(), {}), ElementsAre("W1"));
    EXPECT_EQ(said.size(), 1u);
    EXPECT_THAT(codes(quiet(), {}), IsEmpty()) << "it was of the time before";
}

TEST_F(Warnings, W1IsOfTheModuleThatLogged) {
    HookModule other;
    other.log("a", 1);
    EXPECT_THAT(codes(quiet(), {}), IsEmpty());
}

TEST_F(Warnings, W2BareModeIgnoresCalls) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.barebones = true;
    EXPECT_THAT(codes(options, [](HookModule& self, std::int64_t) { self.log("a", 1); }),
                ElementsAre("W2"));
    EXPECT_THAT(said, ElementsAre(HasSubstr("barebones")));
}

TEST_F(Warnings, W3LoggerWantedButNoneThere) {
    EXPECT_THAT(
        codes(quiet(), [](HookModule& self, std::int64_t) { self.log("a", 1, {.logger = true}); }),
        ElementsAre("W3"));
    EXPECT_THAT(said, ElementsAre(HasSubstr("leave the option out")));
}

TEST_F(Warnings, W4WholeNumberOfATensor) {
    EXPECT_THAT(codes(quiet(std::make_shared<RowLogger>()),
                      [](HookModule& self, std::int64_t) {
                          const std::int32_t whole = 3;
                          self.log("a", TensorView(&whole, DType::I32, {}));
                      }),
                ElementsAre("W4"));
    EXPECT_THAT(said, ElementsAre(HasSubstr("Convert it yourself")));
}

TEST_F(Warnings, W5PartsOfTheBatchDiffer) {
    EXPECT_THAT(codes(
                    quiet(std::make_shared<RowLogger>()),
                    [](HookModule& self, std::int64_t) { self.log("a", 1, {.on_epoch = true}); },
                    Batch(std::pair(std::vector<float>(2), std::vector<float>(3)))),
                ElementsAre("W5"));
    EXPECT_THAT(said, ElementsAre(HasSubstr("Pass batch_size")));
}

TEST_F(Warnings, W6EpochValueOfOneRankAlone) {
    const auto ranks = thread_communicators(2);
    std::vector<std::vector<std::string>> found(2);
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            HookModule own;
            own.train = [](HookModule& self, std::int64_t) {
                self.log("a", 1, {.on_epoch = true, .batch_size = 1});
            };
            TrainerOptions options = quiet(std::make_shared<RowLogger>());
            options.communicator = ranks[rank];
            Trainer trainer(options);
            EXPECT_TRUE(trainer.fit(own, {.train = batches(2)}).ok());
            found[rank] = trainer.warnings();
        });
    }
    threads.clear();
    EXPECT_THAT(found[0], ElementsAre("W6"));
    EXPECT_THAT(said, ElementsAre(HasSubstr("sync_dist = true"))) << "rank 0 alone speaks";
}

TEST_F(Warnings, W7FewerBatchesThanTheLogInterval) {
    TrainerOptions options = quiet(std::make_shared<RowLogger>());
    options.log_every_n_steps = 50;
    EXPECT_THAT(codes(options, {}), ElementsAre("W7"));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], HasSubstr("2 batches, fewer than log_every_n_steps = 50"));
    EXPECT_THAT(said[0], HasSubstr("Lower it"));
}

TEST_F(Warnings, W8MetricWithTheNameOfAStandardItemReplacesIt) {
    struct Versioned final : LoggerBase {
        [[nodiscard]] std::string version() const override { return "3"; }
    };

    for (const bool clashes : {false, true}) {
        TrainerOptions options = quiet();
        options.loggers = {std::make_shared<Versioned>()};
        options.progress_bar = std::make_shared<TrainingBars>(
            TrainingBarOptions{.refresh_rate = 0, .loggers = options.loggers});
        const auto found = codes(options, [&](HookModule& self, std::int64_t) {
            self.log(clashes ? "v_num" : "loss", 1, {.prog_bar = true});
        });
        EXPECT_THAT(found, clashes ? testing::Matcher<std::vector<std::string>>(ElementsAre("W8"))
                                   : IsEmpty());
    }
    EXPECT_THAT(said, ElementsAre(HasSubstr("'v_num'")));
    EXPECT_THAT(said[0], HasSubstr("rename the metric"));
}

TEST_F(Warnings, W9MetricComputedBeforeAnyUpdate) {
    SumMetric metric;
    module.register_metric("sum", metric);
    EXPECT_THAT(codes(quiet(std::make_shared<RowLogger>()),
                      [&](HookModule& self, std::int64_t) {
                          self.log("a", metric, {.on_step = false, .on_epoch = true});
                      }),
                ElementsAre("W9"));
    EXPECT_THAT(said, Contains(HasSubstr("feed it with update() or forward()")));
}

}  // namespace

}  // namespace taffrail::trainer_test
