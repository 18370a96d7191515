// A fit that is stopped anywhere, by anything, and resumed gives what an unbroken one gives: the
// same values, the same number of steps.
#include <taffrail/communicators.h>

#include "base/diagnostics.h"
#include "io/files.h"
#include "trainer/fixtures.h"
#include "trainer/stopped_walk.h"

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>
#include <thread>

namespace taffrail::trainer_test {

namespace {

using testing::HasSubstr;

class ResumeTest : public testing::Test {
  protected:
    void SetUp() override {
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }
};

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
                {.folder = folder, .ranks = communicators[place]},
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
