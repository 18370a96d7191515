// What a Trainer tells its profiler, and the report however the stage ends.
#include <taffrail/callback.h>
#include <taffrail/profiler.h>
#include <taffrail/run.h>
#include <taffrail/zone.h>

#include "io/files.h"
#include "io/temporary_folder.h"
#include "profilers/tables.h"
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <csignal>
#include <set>
#include <stdexcept>

namespace taffrail::trainer_test {

namespace {

class Watcher final : public Callback {};

struct ProfiledTrainer : testing::Test {
    ProfiledTrainer() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }

    /// What it prints while it fits.
    std::string fit(const std::string& name, HookModule& module, bool signals = false) {
        TrainerOptions options = quiet();
        options.profiler = *make_profiler(name);
        options.callbacks = {std::make_shared<Watcher>()};
        options.handle_signals = signals;
        options.run = run;
        Trainer trainer(std::move(options));
        testing::internal::CaptureStdout();
        outcome = trainer.fit(module, {.train = batches(4), .val = {batches(2)}});
        return testing::internal::GetCapturedStdout();
    }

    taffrail::Run* run = nullptr;
    Result<void> outcome;
};

std::set<std::string> actions_of(const std::string& text) {
    std::set<std::string> names;
    for (const auto& row : test::read_simple(text).rows) {
        names.insert(row.action);
    }
    return names;
}

// The names of the documented table that this loop has; the rest stands in docs/guide/training.md.
TEST_F(ProfiledTrainer, SimpleHasEveryActionTheLoopCanReach) {
    HookModule module;
    module.train = [](HookModule& self, std::int64_t) { self.log("loss", 1.0); };
    module.validation = [](HookModule& self, std::int64_t, int) { self.log("val", 1.0); };
    const std::string text = fit("simple", module);
    const auto found = actions_of(text);
    for (const char* name : {"run_training_epoch",
                             "run_training_batch",
                             "optimizer_step_and_closure_0",
                             "get_train_batch",
                             "evaluation_step_and_end",
                             "validation_step",
                             "training_step_and_backward",
                             "model_forward",
                             "training_step",
                             "model_backward",
                             "on_validation_epoch_end",
                             "on_train_batch_end",
                             "on_train_start",
                             "on_train_epoch_end",
                             "cache_result",
                             "on_validation_batch_end",
                             "on_validation_end",
                             "on_train_end",
                             "on_after_backward",
                             "on_before_zero_grad",
                             "on_train_batch_start",
                             "on_validation_batch_start",
                             "on_validation_start",
                             "on_validation_epoch_start",
                             "on_fit_start",
                             "on_train_epoch_start"}) {
        EXPECT_TRUE(found.contains(name)) << name << "\n" << text;
    }
    std::map<std::string, double> calls;
    for (const auto& row : test::read_simple(text).rows) {
        calls[row.action] = row.calls;
    }
    EXPECT_EQ(calls["run_training_epoch"], 1);
    EXPECT_EQ(calls["run_training_batch"], 4);
    EXPECT_EQ(calls["get_train_batch"], 4);
    EXPECT_EQ(calls["training_step"], 4);
    EXPECT_EQ(calls["validation_step"], 2);
    EXPECT_EQ(calls["cache_result"], 6);
    EXPECT_EQ(calls["on_train_batch_end"], 8) << "of the module and of a callback";
    EXPECT_NE(text.find("[Callback]Watcher.on_train_batch_end"), std::string::npos) << text;
    EXPECT_NE(text.find("[Module]HookModule.training_step"), std::string::npos) << text;
}

TEST_F(ProfiledTrainer, TheReportComesAfterAnException) {
    for (const char* name : {"basic", "simple", "advanced"}) {
        reset_zones();
        HookModule module;
        module.train = [](HookModule&, std::int64_t index) {
            TAFFRAIL_ZONE("tagged");
            if (index == 2) {
                throw std::runtime_error("on purpose");
            }
        };
        const std::string text = fit(name, module);
        EXPECT_FALSE(outcome.ok());
        EXPECT_NE(text.find("FIT Profiler Report"), std::string::npos) << name;
        EXPECT_NE(text.find("tagged"), std::string::npos) << name;
    }
}

TEST_F(ProfiledTrainer, TheReportComesAfterCtrlC) {
    for (const char* name : {"basic", "simple", "advanced"}) {
        reset_zones();
        HookModule module;
        module.train = [](HookModule&, std::int64_t index) {
            TAFFRAIL_ZONE("tagged");
            if (index == 1) {
                std::raise(SIGINT);
            }
        };
        const std::string text = fit(name, module, true);
        EXPECT_TRUE(outcome.ok());
        EXPECT_NE(text.find("FIT Profiler Report"), std::string::npos) << name;
    }
}

TEST_F(ProfiledTrainer, WithoutAProfilerNothingIsPrintedAndNothingMeasured) {
    HookModule module;
    EXPECT_EQ(fit("none", module), "");
    EXPECT_TRUE(zone_rows().empty());
}

TEST_F(ProfiledTrainer, FilesStandInTheRun) {
    const test::TemporaryFolder folder;
    taffrail::Run mine = taffrail::init({.root = folder.path(), .environment = false});
    run = &mine;
    HookModule module;
    fit("advanced", module);
    const std::string place = io::join(mine.folder(), "profiles");
    EXPECT_TRUE(io::exists(io::join(place, "fit-profiler.txt")));
    EXPECT_TRUE(io::exists(io::join(place, "fit-profiler-run_training_epoch.prof")));
    EXPECT_TRUE(io::exists(io::join(place, "fit-profiler-_Module_HookModule.training_step.prof")));
    EXPECT_TRUE(mine.finish().ok());
}

}  // namespace

}  // namespace taffrail::trainer_test
