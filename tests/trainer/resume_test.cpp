// A fit that is stopped anywhere, by anything, and resumed gives what an unbroken one gives: the
// same values, the same number of steps.
#include <taffrail/communicators.h>

#include "base/diagnostics.h"
#include "io/files.h"
#include "trainer/fixtures.h"
#include "trainer/walk.h"

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace taffrail::trainer_test {

namespace {

using testing::HasSubstr;

enum class How { Exception, Signal, Asked };

struct Walk {
    std::shared_ptr<ValueLogger> logger = std::make_shared<ValueLogger>();
    bool ok = false;
    std::string error;
    std::int64_t steps = 0, epochs = 0;
    int exit_code = 0;
    std::string last;
    int checks = 0;
};

struct WalkOptions {
    std::string folder;
    std::int64_t accumulate = 1;
    std::shared_ptr<Communicator> ranks = {};
};

TrainerOptions walk_options(const WalkOptions& wanted) {
    TrainerOptions options = quiet();
    options.max_epochs = 3;
    options.val_check_interval = wanted.accumulate == 1 ? 3 : 4;  // of 7: also inside of epochs
    options.accumulate_grad_batches = wanted.accumulate;
    options.handle_signals = true;
    options.communicator = wanted.ranks;
    return options;
}

Walk walk(const WalkOptions& wanted, std::function<void(WalkModule&)> prepare,
          std::shared_ptr<ValueLogger> logger = nullptr, const std::string& from = "") {
    Walk done;
    if (logger) {
        done.logger = std::move(logger);
    }
    TrainerOptions options = walk_options(wanted);
    options.loggers = {done.logger};
    auto keep = std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = wanted.folder, .monitor = "val_loss", .save_last = true});
    options.callbacks = {keep};
    WalkModule module(wanted.ranks);
    if (prepare) {
        prepare(module);
    }
    Trainer trainer(options);
    const auto fitted = trainer.fit(module,
                                    {.train = std::make_shared<ShuffledLoader>(7),
                                     .val = {std::make_shared<ShuffledLoader>(3)}},
                                    from);
    done.ok = fitted.ok();
    done.error = fitted.ok() ? "" : fitted.error().message;
    done.steps = module.steps;
    done.epochs = trainer.current_epoch();
    done.exit_code = trainer.exit_code();
    done.last = keep->last_model_path();
    done.checks = module.patience->wait_count();
    EXPECT_EQ(module.steps, trainer.global_step());
    return done;
}

std::function<void(WalkModule&)> stopped_at(How how, WalkPlace place, std::int64_t when) {
    return [=](WalkModule& module) {
        module.at = [=, &module](WalkPlace here, std::int64_t times) {
            if (here != place || times != when) {
                return;
            }
            if (how == How::Exception) {
                throw std::runtime_error("out of luck");
            }
            if (how == How::Signal) {
                std::raise(SIGTERM);
            } else {
                module.trainer()->stop();
            }
        };
    };
}

class ResumeTest : public testing::Test {
  protected:
    void SetUp() override {
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }
};

using Values = std::map<std::pair<std::string, Step>, double>;

// What the unbroken one has and the other has not, or has differently.
std::string missing(const Values& whole, const Values& other) {
    std::string text;
    for (const auto& [key, value] : whole) {
        const auto found = other.find(key);
        if (found == other.end() || found->second != value) {
            text +=
                key.first + " at " + std::to_string(key.second) + ": " + std::to_string(value) +
                (found == other.end() ? " is missing" : " is " + std::to_string(found->second)) +
                "\n";
        }
    }
    return text;
}

TEST_F(ResumeTest, FindingT06_AnyStopAnywhereResumesToTheSameValues) {
    const WalkPlace places[] = {WalkPlace::Step, WalkPlace::BatchEnd, WalkPlace::Validation,
                                WalkPlace::ValidationEnd, WalkPlace::EpochEnd};
    for (const std::int64_t accumulate : {1, 2}) {
        const Walk whole = walk({"memory://resume/whole", accumulate}, {});
        ASSERT_TRUE(whole.ok) << whole.error;
        for (const How how : {How::Exception, How::Signal, How::Asked}) {
            for (const WalkPlace place : places) {
                for (const std::int64_t when : {1, 2, 4, 6, 7, 9}) {
                    SCOPED_TRACE("how " + std::to_string(static_cast<int>(how)) + " place " +
                                 std::to_string(static_cast<int>(place)) + " time " +
                                 std::to_string(when) + " accumulate " +
                                 std::to_string(accumulate));
                    static int number = 0;
                    const WalkOptions options{"memory://resume/" + std::to_string(++number),
                                              accumulate};
                    const Walk broken = walk(options, stopped_at(how, place, when));
                    EXPECT_EQ(broken.ok, how != How::Exception || broken.epochs == 3);
                    if (broken.last.empty() || !io::exists(broken.last)) {
                        // Failed before the first step, or the place was never reached.
                        EXPECT_TRUE(broken.steps == 0 || broken.epochs == 3);
                        continue;
                    }
                    const Walk resumed = walk(options, {}, broken.logger, broken.last);
                    ASSERT_TRUE(resumed.ok) << resumed.error;
                    EXPECT_EQ(resumed.steps, whole.steps);
                    EXPECT_EQ(resumed.epochs, whole.epochs);
                    EXPECT_EQ(missing(whole.logger->values, resumed.logger->values), "");
                    if (how != How::Asked) {
                        // A stop that the program asks for closes its epoch, with rows of its own.
                        EXPECT_EQ(missing(resumed.logger->values, whole.logger->values), "");
                        EXPECT_EQ(resumed.checks, whole.checks);
                    }
                }
            }
        }
    }
}

TEST_F(ResumeTest, FindingT06_ControlCInTheMiddleGoesOnAtTheNextBatch) {
    std::vector<std::int64_t> seen;
    for (const bool resumed : {false, true}) {
        HookModule module;
        module.train = [&](HookModule& self, std::int64_t index) {
            seen.push_back(index);
            if (!resumed && self.trainer()->global_step() == 29) {
                std::raise(SIGINT);
            }
        };
        TrainerOptions options = quiet();
        options.handle_signals = true;
        auto keep = std::make_shared<ModelCheckpoint>(
            ModelCheckpointOptions{.dirpath = "memory://resume/middle"});
        options.callbacks = {keep};
        Trainer trainer(options);
        ASSERT_TRUE(trainer
                        .fit(module, {.train = batches(100)},
                             resumed ? "memory://resume/middle/last.ckpt" : "")
                        .ok());
        EXPECT_EQ(trainer.global_step(), resumed ? 100 : 30);
        EXPECT_EQ(trainer.current_epoch(), resumed ? 1 : 0);
    }
    ASSERT_EQ(seen.size(), 100u);
    EXPECT_EQ(seen[30], 30);
}

TEST_F(ResumeTest, FindingT07_MetricObjectsAreSavedWithTheirUpdates) {
    class Averaging : public HookModule {
      public:
        MeanMetric mean;

        Averaging() { register_metric("mean", mean); }
    };

    const std::string path = "memory://resume/metric.ckpt";
    Averaging first;
    first.train = [&](HookModule& self, std::int64_t index) {
        (void)first.mean.update(index < 2 ? 2.0 : 7.0).ok();
        if (index == 1) {
            self.trainer()->stop();
        }
    };
    TrainerOptions options = quiet();
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(first, {.train = batches(4)}).ok());
    ASSERT_TRUE(trainer.save_checkpoint(path).ok());

    Averaging second;
    second.train = [&](HookModule&, std::int64_t) { (void)second.mean.update(7.0).ok(); };
    ASSERT_TRUE(Trainer(options).fit(second, {.train = batches(4)}, path).ok());
    EXPECT_EQ(second.mean.compute().value().number(), 4.5);
    EXPECT_EQ(second.mean.update_count(), 4);
}

TEST_F(ResumeTest, FindingT07_CallbacksOfTheModuleAreSaved) {
    class Watched : public HookModule {
      public:
        std::shared_ptr<EarlyStopping> watch = std::make_shared<EarlyStopping>(
            EarlyStoppingOptions{.monitor = "loss", .patience = 100});

        std::vector<std::shared_ptr<Callback>> configure_callbacks() override { return {watch}; }
    };

    const std::string path = "memory://resume/callbacks.ckpt";
    const auto log = [](HookModule& self) { self.log("loss", 1); };
    Watched first;
    first.train_epoch_end = log;
    TrainerOptions options = quiet();
    options.max_epochs = 5;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(first, {.train = batches(1)}).ok());
    EXPECT_EQ(first.watch->wait_count(), 4);
    ASSERT_TRUE(trainer.save_checkpoint(path).ok());

    Watched second;
    second.train_epoch_end = log;
    options.max_epochs = 6;
    ASSERT_TRUE(Trainer(options).fit(second, {.train = batches(1)}, path).ok());
    EXPECT_EQ(second.watch->wait_count(), 5);
}

// Ranks that are threads: each has its own share of the values.
std::vector<Walk> walk_together(const std::string& folder, int ranks,
                                const std::function<void(WalkModule&, int)>& prepare,
                                const std::vector<Walk>* before = nullptr) {
    const auto communicators = thread_communicators(ranks, std::chrono::seconds(20));
    std::vector<Walk> all(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            const auto place = static_cast<std::size_t>(rank);
            all[place] = walk(
                {folder, 1, communicators[place]},
                [&](WalkModule& module) {
                    if (prepare) {
                        prepare(module, rank);
                    }
                },
                before != nullptr ? (*before)[place].logger : nullptr,
                before != nullptr ? (*before)[0].last : "");
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return all;
}

TEST_F(ResumeTest, FindingT03_RanksStopTogetherWhoeverIsStoppedAndResumeToTheSameValues) {
    const std::vector<Walk> whole = walk_together("memory://ranks/whole", 3, {});
    ASSERT_TRUE(whole[0].ok) << whole[0].error;
    int number = 0;
    for (const How how : {How::Exception, How::Signal, How::Asked}) {
        for (const WalkPlace place :
             {WalkPlace::Step, WalkPlace::Validation, WalkPlace::EpochEnd}) {
            SCOPED_TRACE("how " + std::to_string(static_cast<int>(how)) + " place " +
                         std::to_string(static_cast<int>(place)));
            const std::string folder = "memory://ranks/" + std::to_string(++number);
            const auto broken = walk_together(folder, 3, [&](WalkModule& module, int rank) {
                if (rank == 1) {
                    stopped_at(how, place, 2)(module);
                }
            });
            for (const Walk& one : broken) {
                EXPECT_EQ(one.ok, how != How::Exception) << one.error;
                EXPECT_EQ(one.steps, broken[0].steps) << "ranks stop at the same batch";
                EXPECT_EQ(one.exit_code, how == How::Exception ? 1 : how == How::Signal ? 143 : 0);
            }
            if (how == How::Exception) {
                EXPECT_THAT(broken[1].error, HasSubstr("out of luck"));
                EXPECT_THAT(broken[0].error, HasSubstr("rank 1 stopped"));
                EXPECT_THAT(broken[0].error, HasSubstr("out of luck"));
                EXPECT_THAT(broken[2].logger->reason, HasSubstr("out of luck"));
            }
            const auto resumed = walk_together(folder, 3, {}, &broken);
            for (std::size_t rank = 0; rank < 3; ++rank) {
                ASSERT_TRUE(resumed[rank].ok) << resumed[rank].error;
                EXPECT_EQ(resumed[rank].steps, whole[rank].steps);
                EXPECT_EQ(missing(whole[rank].logger->values, resumed[rank].logger->values), "");
                if (how != How::Asked) {
                    EXPECT_EQ(missing(resumed[rank].logger->values, whole[rank].logger->values),
                              "");
                }
            }
        }
    }
}

// Nothing but the agreement holds these together: no value is synced.
TEST_F(ResumeTest, FindingT03_ARankThatLagsStopsAtTheSameBatchAtMaxTime) {
    const auto communicators = thread_communicators(3, std::chrono::seconds(20));
    std::vector<Step> steps(3);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 3; ++rank) {
        threads.emplace_back([&, rank] {
            HookModule module;
            module.train = [&](HookModule& self, std::int64_t index) {
                if (rank == 2 && index == 0) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(150));
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                self.log("loss", 1, {.on_step = false, .on_epoch = true, .sync_dist = true});
            };
            TrainerOptions options = quiet();
            options.max_epochs = -1;
            options.max_time = std::chrono::milliseconds(200);
            options.communicator = communicators[rank];
            Trainer trainer(options);
            const auto done = trainer.fit(module, {.train = batches(100000)});
            EXPECT_TRUE(done.ok()) << done.error().message;
            steps[rank] = trainer.global_step();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(steps[1], steps[0]);
    EXPECT_EQ(steps[2], steps[0]);
}

TEST_F(ResumeTest, FindingT03_RanksWithABatchMoreOrLessStillMeet) {
    const auto communicators = thread_communicators(2, std::chrono::seconds(20));
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            HookModule module;
            const auto log = [](HookModule& self) {
                self.log("x", 1, {.on_step = false, .on_epoch = true, .sync_dist = true});
            };
            module.train = [log](HookModule& self, std::int64_t) { log(self); };
            module.validation = [log](HookModule& self, std::int64_t, int) { log(self); };
            TrainerOptions options = quiet();
            options.max_epochs = 3;
            options.num_sanity_val_steps = 2;
            options.communicator = communicators[rank];
            Trainer trainer(options);
            const auto more = static_cast<std::int64_t>(rank);
            const auto done =
                trainer.fit(module, {.train = batches(5 + more), .val = {batches(2 + more)}});
            EXPECT_TRUE(done.ok()) << done.error().message;
            EXPECT_EQ(trainer.current_epoch(), 3);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(ResumeTest, FindingT03_ARankThatValidatesAloneKeepsTheOthersWaiting) {
    const auto communicators = thread_communicators(2, std::chrono::seconds(20));
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            HookModule module;
            module.validation = [](HookModule& self, std::int64_t, int) { self.log("x", 1); };
            TrainerOptions options = quiet();
            options.max_epochs = 2;
            options.num_sanity_val_steps = 2;
            options.communicator = communicators[rank];
            const LoaderList val = rank == 0 ? LoaderList{batches(3)} : LoaderList();
            const auto done = Trainer(options).fit(module, {.train = batches(5), .val = val});
            EXPECT_TRUE(done.ok()) << done.error().message;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace

}  // namespace taffrail::trainer_test
