// A Trainer on a real run: sinks get the gated rows, the store keeps every call with its epoch and
// samples.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "io/temporary_folder.h"
#include "record/fake_sink.h"
#include "trainer/fixtures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace taffrail::trainer_test {

namespace {

class Routed final : public LoggerBase {
  public:
    explicit Routed(RouteMask route) : route_(route) {}

    [[nodiscard]] RouteMask route() const noexcept override { return route_; }

  private:
    RouteMask route_;
};

TEST(TrainerOnARun, StoreKeepsEveryCallSinksFollowTheGates) {
    test::TemporaryFolder folder;
    auto content = std::make_shared<test::SinkContent>();
    std::string id;
    {
        taffrail::Run run =
            taffrail::Run::open(
                {.root = folder.file("runs"), .environment = false, .machine_load = {}})
                .value();
        id = run.id();
        const RouteMask route =
            run.add_sink(std::make_unique<test::FakeSink>(content), "fake").value();
        HookModule module;
        module.train = [](HookModule& self, std::int64_t index) {
            self.log("loss", index, {.on_step = true, .on_epoch = true});
        };
        module.validation = [](HookModule& self, std::int64_t index, int) {
            self.log("acc", index);
        };
        TrainerOptions options = quiet();
        options.max_epochs = 2;
        options.log_every_n_steps = 2;
        options.run = &run;
        options.loggers = {std::make_shared<Routed>(route)};
        Trainer trainer(options);
        const auto done = trainer.fit(module, {.train = batches(3, 4), .val = {batches(2)}});
        ASSERT_TRUE(done.ok()) << done.error().message;
        ASSERT_TRUE(run.finish().ok());
    }
    std::map<std::string, int> sent;
    for (const std::string& key : content->keys) {
        ++sent[key];
    }
    // Steps 1, 3, 5 of six, two epochs, two validations; one "epoch" beside each row.
    EXPECT_EQ(sent, (std::map<std::string, int>{
                        {"loss_step", 3}, {"loss_epoch", 2}, {"acc", 2}, {"epoch", 7}}));

    auto run = read(folder.file("runs")).value()->run(id).value();
    const auto steps = run->points("loss_step").value();
    ASSERT_EQ(steps.size(), 6u);
    EXPECT_EQ(steps[4].step, 4);
    EXPECT_EQ(steps[4].value, 1);
    EXPECT_EQ(steps[4].epoch, 1.0);
    EXPECT_EQ(steps[4].samples, 20);
    EXPECT_EQ(run->points("loss_epoch").value().size(), 2u);
    EXPECT_EQ(run->points("acc").value().size(), 2u);
    EXPECT_EQ(run->points("acc_step").value().size(), 4u);
}

TEST(TrainerOnARun, KeepsNothingOfTheSanityCheckAndAllThatFollows) {
    test::TemporaryFolder folder;
    std::string id;
    {
        taffrail::Run run =
            taffrail::Run::open(
                {.root = folder.file("runs"), .environment = false, .machine_load = {}})
                .value();
        id = run.id();
        HookModule module;
        module.validation = [](HookModule& self, std::int64_t index, int) {
            self.log("acc", index);
        };
        module.train_start = [](HookModule& self) { self.log("begun", 1); };
        TrainerOptions options = quiet();
        options.num_sanity_val_steps = 2;
        options.run = &run;
        Trainer trainer(options);
        ASSERT_TRUE(trainer.fit(module, {.train = batches(1), .val = {batches(3)}}).ok());
        ASSERT_TRUE(run.finish().ok());
    }
    auto run = read(folder.file("runs")).value()->run(id).value();
    EXPECT_EQ(run->points("acc_step").value().size(), 3u);
    EXPECT_EQ(run->points("begun").value().size(), 1u);
}

}  // namespace

}  // namespace taffrail::trainer_test
