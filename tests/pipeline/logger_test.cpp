#include <taffrail/logger.h>

#include "base/diagnostics.h"
#include "pipeline/watched_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

namespace taffrail {
namespace {

using testing::ElementsAre;

class LoggerTest : public testing::Test {
  protected:
    void SetUp() override {
        reset_diagnostics();
        set_diagnostic_handler(
            [this](DiagnosticLevel, std::string_view text) { messages.emplace_back(text); });
    }

    void TearDown() override { set_diagnostic_handler(nullptr); }

    std::unique_ptr<Logger> make(LoggerOptions options) {
        options.print_epochs = false;
        return Logger::make(run, std::move(options)).value();
    }

    static DataMap batch(double loss, Phase phase = Phase::Train, std::int64_t epoch = 0) {
        DataMap data;
        data.values["loss"] = loss;
        data.phase = phase;
        data.epoch = epoch;
        return data;
    }

    /// The steps of a key that went to a sink as well.
    static std::vector<Step> sent_steps(std::string_view key) {
        std::vector<Step> found;
        for (const test::Logged& each : test::logged()) {
            if (each.key == key && each.route != kStoreOnly) {
                found.push_back(each.step);
            }
        }
        return found;
    }

    taffrail::Run& run = test::fresh_run();
    std::vector<std::string> messages;
};

TEST_F(LoggerTest, LogsEveryNthTrainIterationAndEveryEvaluationBatch) {
    auto logger = make({.interface = "csv",
                        .interface_options = {{"log_dir", "memory://n"}},
                        .tracked_variables = {{"metric", {"loss"}}},
                        .log_every_n_iter = 5});
    for (int i = 0; i < 12; ++i) {
        logger->log_iter(batch(i));
    }
    for (int i = 0; i < 3; ++i) {
        logger->log_iter(batch(i, Phase::Validate));
    }
    EXPECT_THAT(sent_steps("Metric-BatchWise/loss/train"), ElementsAre(0, 5, 10));
    EXPECT_THAT(sent_steps("Metric-BatchWise/loss/val"), ElementsAre(0, 1, 2));
    EXPECT_EQ(logger->iterations(Phase::Train), 12);
    EXPECT_EQ(logger->iterations(Phase::Validate), 3);
    EXPECT_EQ(logger->iterations(Phase::Test), 0);
}

TEST_F(LoggerTest, IntervalThinsNeitherTheStoreNorTheStatistics) {
    for (const std::int64_t every : {1, 5, 0}) {
        test::clear();
        auto logger = make({.interface = "csv",
                            .interface_options = {{"log_dir", "memory://n"}},
                            .routines = {"metric", "hist"},
                            .tracked_variables = {{"metric", {"loss"}}, {"hist", {"loss"}}},
                            .log_every_n_iter = every});
        for (int i = 0; i < 12; ++i) {
            logger->log_iter(batch(i));
        }
        logger->log_epoch();
        EXPECT_EQ(test::steps("Metric-BatchWise/loss/train").size(), 12u) << every;
        EXPECT_THAT(test::scalars("Metric-EpochWise/loss/train"), ElementsAre(5.5)) << every;
        // Statistics of an epoch are not gated: the sink gets them in full.
        EXPECT_THAT(sent_steps("Metric-EpochWise/loss/train"), ElementsAre(0)) << every;
        for (const char* key : {"Metric-Hist/loss/train", "Hist/loss/train"}) {
            const auto made = std::ranges::find(test::logged(), key, &test::Logged::key);
            ASSERT_NE(made, test::logged().end()) << key;
            const auto& counts = std::get<Histogram>(made->value).counts;
            EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 12)
                << key << " " << every;
            EXPECT_NE(made->route, kStoreOnly) << key << " " << every;
        }
    }
}

// They are logged when they change; gated, a sink would never hear of a change in between.
TEST_F(LoggerTest, WhatIsLoggedOnceReachesTheSinkFromAnyIteration) {
    auto logger = make({.interface = "csv",
                        .interface_options = {{"log_dir", "memory://n"}},
                        .routines = {"hparams", "graph"},
                        .tracked_variables = {{"graph", {"net"}}},
                        .log_every_n_iter = 10});
    logger->log_iter(batch(1));
    DataMap data = batch(2);
    data.values["hparams"] = Hparams{{"lr", 0.5}};
    data.values["net"] = Graph{{GraphNode{.name = "a", .op = "Linear"}}};
    logger->log_iter(data);
    EXPECT_THAT(sent_steps("hparams"), ElementsAre(0));
    EXPECT_THAT(sent_steps("Graph/net/train"), ElementsAre(1));
}

// What built-in routines may do, a program's own may do too.
TEST_F(LoggerTest, ARoutineOfTheProgramMayLogChanges) {
    struct Changes : Routine {
        Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
            context.log_value("state", Text{"changed"}, data.total_iters);
            return {};
        }

        Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

        Result<void> end_log(RoutineContext&) override { return {}; }

        [[nodiscard]] bool logs_changes() const noexcept override { return true; }
    };

    register_routine({"changes", "Changes", "", [](const OptionMap&) {
                          return Result<std::unique_ptr<Routine>>(std::make_unique<Changes>());
                      }});
    auto logger = make({.interface = "csv",
                        .interface_options = {{"log_dir", "memory://n"}},
                        .routines = {"changes"},
                        .log_every_n_iter = 10});
    logger->log_iter(batch(1));
    logger->log_iter(batch(2));
    EXPECT_THAT(sent_steps("state"), ElementsAre(0, 1));
}

TEST_F(LoggerTest, CallersThatCountAreBelievedFromZeroOn) {
    auto logger = make({.tracked_variables = {{"metric", {"loss"}}}});
    for (int training = 0; training < 2; ++training) {
        for (int i = 0; i < 3; ++i) {
            DataMap data = batch(i);
            data.total_iters = i;
            logger->log_iter(data);
        }
    }
    EXPECT_THAT(test::steps("Metric-BatchWise/loss/train"), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(LoggerTest, EpochLogsMeanAndDistributionAndStartsEmpty) {
    auto logger = make({.tracked_variables = {{"metric", {"loss"}}}});
    for (const double loss : {1.0, 2.0, 3.0, 4.0}) {
        logger->log_iter(batch(loss));
    }
    logger->log_epoch();
    logger->log_iter(batch(10, Phase::Train, 1));
    logger->log_epoch();
    EXPECT_THAT(test::scalars("Metric-EpochWise/loss/train"), ElementsAre(2.5, 10));
    EXPECT_THAT(test::steps("Metric-EpochWise/loss/train"), ElementsAre(0, 1));
    EXPECT_THAT(test::steps("Metric-Hist/loss/train"), ElementsAre(0, 1));
}

TEST_F(LoggerTest, EpochsCanBeThinned) {
    auto logger = make({.tracked_variables = {{"metric", {"loss"}}}, .log_every_n_epochs = 2});
    for (int epoch = 0; epoch < 4; ++epoch) {
        logger->log_iter(batch(epoch, Phase::Train, epoch));
        logger->log_epoch();
    }
    EXPECT_THAT(test::steps("Metric-EpochWise/loss/train"), ElementsAre(0, 2));
}

struct Probe : Routine {
    static inline std::vector<std::string> calls;
    std::string name;
    bool fails = false;

    Result<void> log_iter(const DataMap&, RoutineContext&) override {
        calls.push_back(name + ".iter");
        if (fails) {
            throw std::runtime_error("broken on purpose");
        }
        return {};
    }

    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override {
        calls.push_back(name + ".epoch");
        return {};
    }

    Result<void> end_log(RoutineContext&) override {
        calls.push_back(name + ".end");
        return {};
    }
};

void add_probe(const std::string& key, bool fails) {
    register_routine({key, "Probe", "", [=](const OptionMap&) {
                          auto probe = std::make_unique<Probe>();
                          probe->name = key;
                          probe->fails = fails;
                          return Result<std::unique_ptr<Routine>>(std::move(probe));
                      }});
}

TEST_F(LoggerTest, RoutinesRunInOrderAndAFailingOneStopsNobody) {
    add_probe("bad", true);
    add_probe("good", false);
    Probe::calls.clear();
    auto logger = make({.routines = {"bad", "good"}});
    logger->log_iter(batch(1));
    logger->log_iter(batch(2));
    logger->log_epoch();
    logger->end_log();
    logger->end_log();
    EXPECT_THAT(Probe::calls, ElementsAre("bad.iter", "good.iter", "bad.iter", "good.iter",
                                          "bad.epoch", "good.epoch", "bad.end", "good.end"));
    EXPECT_THAT(messages, ElementsAre(testing::HasSubstr("broken on purpose")));
    EXPECT_THAT(logger->check().error().message, testing::HasSubstr("routine 'bad'"));
}

TEST_F(LoggerTest, TrackedKeyThatIsAbsentIsWarnedAboutOnce) {
    auto logger = make({.tracked_variables = {{"metric", {"loss", "los"}}}});
    logger->log_iter(batch(1));
    logger->log_iter(batch(2));
    EXPECT_THAT(messages, ElementsAre(testing::AllOf(testing::HasSubstr("'los'"),
                                                     testing::HasSubstr("did you mean 'loss'"))));
    EXPECT_THAT(test::keys(), ElementsAre("Metric-BatchWise/loss/train"));
}

TEST_F(LoggerTest, EachLoggerHasItsOwnSinkAndRoute) {
    auto first = make({.interface = "csv",
                       .interface_options = {{"log_dir", "memory://a"}},
                       .tracked_variables = {{"metric", {"loss"}}}});
    auto second = make({.interface = "csv",
                        .interface_options = {{"log_dir", "memory://b"}},
                        .tracked_variables = {{"metric", {"loss"}}}});
    auto store_only = make({.tracked_variables = {{"metric", {"loss"}}}});
    for (auto* logger : {first.get(), second.get(), store_only.get()}) {
        logger->log_iter(batch(1));
    }
    ASSERT_EQ(test::logged().size(), 2u) << "the third has no sink, and the store has the point";
    EXPECT_EQ(test::logged()[0].route, 1);
    EXPECT_EQ(test::logged()[1].route, 2);
}

TEST_F(LoggerTest, TwoLoggersOfOneNameKeepEachPointOnce) {
    auto all = make({.interface = "csv",
                     .interface_options = {{"log_dir", "memory://all"}},
                     .tracked_variables = {{"metric", {"loss"}}}});
    auto some = make({.interface = "csv",
                      .interface_options = {{"log_dir", "memory://some"}},
                      .tracked_variables = {{"metric", {"loss", "accuracy"}}},
                      .log_every_n_iter = 2});
    for (int i = 0; i < 4; ++i) {
        DataMap data = batch(1.0 / (1 + i));
        data.values["accuracy"] = 0.25 * i;
        all->log_iter(data);
        some->log_iter(data);
    }
    all->log_epoch(0, Phase::Train);
    some->log_epoch(0, Phase::Train);
    EXPECT_THAT(test::kept_steps("Metric-BatchWise/loss/train"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(test::kept_steps("Metric-BatchWise/accuracy/train"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(test::kept_steps("Metric-EpochWise/loss/train"), ElementsAre(0));
    EXPECT_THAT(test::kept_steps("Metric-Hist/loss/train"), ElementsAre(0));
    std::map<RouteMask, std::vector<Step>> sent;
    for (const test::Logged& each : test::logged()) {
        if (each.key == "Metric-BatchWise/loss/train") {
            sent[each.route].push_back(each.step);
        }
    }
    EXPECT_THAT(sent[1], ElementsAre(0, 1, 2, 3)) << "each sink gets all that is for it";
    EXPECT_THAT(sent[2], ElementsAre(0, 2));
    EXPECT_THAT(sent[kStoreOnly], testing::IsEmpty());
}

TEST_F(LoggerTest, TwoLoggersKeepWhatDiffersAndWhatOneSaysTwice) {
    auto first = make({.tracked_variables = {{"metric", {"loss"}}}});
    auto second = make({.tracked_variables = {{"metric", {"loss"}}}});
    first->log_iter(batch(1));
    second->log_iter(batch(2));  // another value
    first->log_iter(batch(3));
    second->log_iter(batch(3));  // the same
    DataMap again = batch(5);
    again.total_iters = 7;
    first->log_iter(again);
    first->log_iter(again);  // one logger, twice
    EXPECT_THAT(test::scalars("Metric-BatchWise/loss/train"), ElementsAre(1, 2, 3, 5, 5));
    second.reset();
    first->log_iter(again);
    EXPECT_EQ(test::scalars("Metric-BatchWise/loss/train").size(), 6u);
}

TEST_F(LoggerTest, TwoLoggersKeepEachPictureOnceByItsPixels) {
    auto first = make({.routines = {"image"}, .tracked_variables = {{"image", {"sample"}}}});
    auto second = make({.interface = "csv",
                        .interface_options = {{"log_dir", "memory://p"}},
                        .routines = {"image"},
                        .tracked_variables = {{"image", {"sample"}}}});
    std::vector<std::uint8_t> pixels(12, 9);
    DataMap data;
    data.values["sample"] =
        Datum::borrowed(ImageView{TensorView(pixels.data(), DType::U8, {2, 2, 3}), Layout::Hwc});
    first->log_iter(data);
    second->log_iter(data);
    EXPECT_EQ(test::logged().size(), 2u);
    EXPECT_THAT(test::kept_steps("Image/sample/train"), ElementsAre(0));
    first->log_iter(data);
    pixels[5] = 8;
    second->log_iter(data);
    EXPECT_THAT(test::kept_steps("Image/sample/train"), ElementsAre(0, 1, 1));
}

TEST_F(LoggerTest, RefusesWhatCannotWork) {
    EXPECT_THAT(Logger::make(run, {.routines = {"metrik"}}).error().message,
                testing::AllOf(testing::HasSubstr("did you mean 'metric'"),
                               testing::HasSubstr("known are: metric, hist")));
    EXPECT_THAT(Logger::make(run, {.tracked_variables = {{"image", {"x"}}}}).error().message,
                testing::HasSubstr("not in its list of loggers"));
    EXPECT_FALSE(Logger::make(run, {.interface = "nowhere"}).ok());
}

TEST_F(LoggerTest, HparamsReachOnlyTheirRoutineAndOnlyOnce) {
    auto logger = make({.routines = {"hparams"}});
    const Hparams hparams = {{"lr", 0.5}};
    logger->log_hparams(hparams);
    DataMap data;
    data.values["settings"] = hparams;
    data.values["hparams"] = hparams;
    logger->log_iter(data);
    logger->log_iter(data);
    EXPECT_THAT(test::steps("hparams"), ElementsAre(0, 0));
    auto other = make({});
    other->log_hparams(hparams);
    EXPECT_EQ(test::logged().size(), 2u);
}

TEST_F(LoggerTest, StatusBlockSaysWhatIsKnown) {
    LoggerOptions options{.tracked_variables = {{"metric", {"loss"}}}};
    auto logger = Logger::make(run, options).value();
    DataMap data = batch(0.25);
    data.max_epochs = 4;
    data.batch_current = 10;
    data.batch_total = 10;
    logger->log_iter(data);
    testing::internal::CaptureStdout();
    logger->log_epoch();
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_THAT(text,
                testing::AllOf(testing::HasSubstr("train  epoch 0/3"),
                               testing::HasSubstr("loss 0.2500"), testing::HasSubstr("elapsed"),
                               testing::HasSubstr("left"), testing::HasSubstr("GPU")));
    options.gpu_summarize = false;
    auto quiet = Logger::make(run, options).value();
    quiet->log_iter(data);
    testing::internal::CaptureStdout();
    quiet->log_epoch();
    EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::Not(testing::HasSubstr("GPU")));
}

// Validation runs inside a train epoch and ends before it.
TEST_F(LoggerTest, StatusBlockShowsTheMeansOfItsOwnPhase) {
    auto logger = Logger::make(run, {.tracked_variables = {{"metric", {"loss"}}}}).value();
    const auto block = [&](Phase phase) {
        testing::internal::CaptureStdout();
        logger->log_epoch(0, phase);
        return testing::internal::GetCapturedStdout();
    };
    for (const double loss : {1.0, 2.0, 6.0}) {
        logger->log_iter(batch(loss));
    }
    for (const double loss : {20.0, 30.0}) {
        logger->log_iter(batch(loss, Phase::Validate));
    }
    EXPECT_THAT(block(Phase::Validate), testing::AllOf(testing::HasSubstr("val  epoch 0"),
                                                       testing::HasSubstr("loss 25.0000")));
    EXPECT_THAT(block(Phase::Train), testing::AllOf(testing::HasSubstr("train  epoch 0"),
                                                    testing::HasSubstr("loss 3.0000")));
    logger->log_iter(batch(7, Phase::Train, 1));
    EXPECT_THAT(block(Phase::Train), testing::HasSubstr("loss 7.0000"));
}

}  // namespace
}  // namespace taffrail
