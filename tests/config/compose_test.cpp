// `defaults:` lists, groups and experiments.
#include <taffrail/config.h>

#include "test_files.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace taffrail {
namespace {

ComposeOptions options() {
    ComposeOptions options;
    options.sources.built_in = {
        {"config.yaml", "defaults:\n  - trainer: default\n  - logger: csv\n  - _self_\nseed: 1\n"},
        {"trainer/default.yaml", "max_epochs: 10\nlr: 0.1\n"},
        {"trainer/long.yaml", "defaults: [default]\nmax_epochs: 100\n"},
        {"logger/csv.yaml", "csv: {config: {log_dir: out}}\n"},
        {"logger/tensorboard.yaml", "tensorboard: {config: {log_dir: tb, max_queue: 10}}\n"},
        {"experiment/e1.yaml",
         "defaults:\n  - override /logger: tensorboard\n  - override /trainer: long\nseed: 2\n"
         "logger: {tensorboard: {config: {max_queue: 3}}}\n"},
    };
    options.sources.known_options["profiler"] = {"none"};
    return options;
}

TEST(Compose, PutsGroupsUnderTheirNamesAndSelfLast) {
    const Composed composed = compose(options()).value();
    EXPECT_EQ(composed.config.find("trainer.max_epochs")->as_int().value(), 10);
    EXPECT_EQ(composed.config.find("logger.csv.config.log_dir")->as_text().value(), "out");
    EXPECT_EQ(composed.config.find("defaults"), nullptr);
    EXPECT_EQ(composed.choice("logger"), "csv");
}

TEST(Compose, ExperimentOverridesGroupsAndItsOwnBlockWins) {
    ComposeOptions wanted = options();
    wanted.overrides = {"experiment=e1"};
    const Composed composed = compose(wanted).value();
    EXPECT_EQ(composed.config.find("seed")->as_int().value(), 2);
    EXPECT_EQ(composed.config.find("trainer.max_epochs")->as_int().value(), 100);
    EXPECT_DOUBLE_EQ(composed.config.find("trainer.lr")->as_double().value(), 0.1);
    EXPECT_EQ(composed.config.find("logger.csv"), nullptr);
    EXPECT_EQ(composed.config.find("logger.tensorboard.config.max_queue")->as_int().value(), 3);
    EXPECT_EQ(composed.config.find("logger.tensorboard.config.log_dir")->as_text().value(), "tb");
    EXPECT_EQ(composed.choice("logger"), "tensorboard");
}

TEST(Compose, CommandLineChoiceBeatsTheExperimentAndTheLastOneWins) {
    ComposeOptions wanted = options();
    wanted.overrides = {"trainer=long", "experiment=e1", "trainer=default", "trainer.max_epochs=1"};
    const Composed composed = compose(wanted).value();
    EXPECT_EQ(composed.choice("trainer"), "default");
    EXPECT_EQ(composed.config.find("trainer.max_epochs")->as_int().value(), 1);
}

TEST(Compose, KnownOptionsNeedNoFile) {
    ComposeOptions wanted = options();
    wanted.overrides = {"profiler=simple", "profiler=none"};
    EXPECT_EQ(compose(wanted).value().choice("profiler"), "none");
    wanted.overrides = {"profiler=simple"};
    EXPECT_THAT(compose(wanted).error().message,
                testing::AllOf(testing::HasSubstr("profiler"), testing::HasSubstr("known: none")));
}

TEST(Compose, UnknownOptionSuggestsAndNamesThePlace) {
    ComposeOptions wanted = options();
    wanted.overrides = {"logger=tensorbord"};
    EXPECT_THAT(compose(wanted).error().message,
                testing::AllOf(testing::HasSubstr("'logger=tensorbord'"),
                               testing::HasSubstr("did you mean 'tensorboard'")));
    wanted.overrides = {};
    wanted.sources.built_in["config.yaml"] = "defaults:\n  - trainer: fast\n";
    EXPECT_THAT(compose(wanted).error().message, testing::StartsWith("built-in config.yaml:2:"));
}

TEST(Compose, GroupCanBeSwitchedOff) {
    ComposeOptions wanted = options();
    wanted.overrides = {"~logger"};
    EXPECT_EQ(compose(wanted).value().config.find("logger"), nullptr);
}

TEST(Compose, FoldersComeBeforeBuiltInAndFirstFolderWins) {
    const test::TestFolder first, second;
    first.write("experiment/mine.yaml", "seed: 11\n");
    second.write("experiment/mine.yaml", "seed: 12\n");
    second.write("trainer/default.yaml", "max_epochs: 5\n");
    ComposeOptions wanted = options();
    wanted.sources.search_path = {first.path(), second.path()};
    wanted.overrides = {"experiment=mine"};
    const Composed composed = compose(wanted).value();
    EXPECT_EQ(composed.config.find("seed")->as_int().value(), 11);
    EXPECT_EQ(composed.config.find("trainer.max_epochs")->as_int().value(), 5);
    wanted.overrides = {"experiment=mime"};
    EXPECT_THAT(compose(wanted).error().message, testing::HasSubstr("did you mean 'mine'"));
}

// Started from another folder none of the files is there: the remedy is the folder, not a new
// value.
TEST(Compose, ExperimentWithoutAnyFileSaysWhereItLookedAndWhatToDo) {
    const test::TestFolder empty;
    ComposeOptions wanted = options();
    wanted.sources.built_in.erase("experiment/e1.yaml");
    wanted.sources.search_path = {"no-such-configs", empty.path()};
    const std::string here = std::filesystem::current_path().string();
    for (const char* word : {"experiment=mine", "+experiment=mine", "/experiment=mine"}) {
        wanted.overrides = {word};
        EXPECT_EQ(compose(wanted).error().message,
                  "override 'experiment=mine': group 'experiment' has no option 'mine': no file "
                  "experiment/mine.yaml in " +
                      here + "/no-such-configs (does not exist), " + empty.path() +
                      "; give its folder with --config-dir DIR or in TAFFRAIL_CONFIG_PATH");
    }
}

TEST(Compose, PackageHeaderLiftsAFileToTheTop) {
    ComposeOptions wanted = options();
    wanted.sources.built_in["trainer/global.yaml"] = "# @package _global_\nseed: 9\n";
    wanted.overrides = {"trainer=global"};
    EXPECT_EQ(compose(wanted).value().config.find("seed")->as_int().value(), 1);
    wanted.sources.built_in["config.yaml"] =
        "defaults:\n  - _self_\n  - trainer: default\nseed: 1\n";
    EXPECT_EQ(compose(wanted).value().config.find("seed")->as_int().value(), 9);
}

TEST(Compose, CirclesOfDefaultsAreErrors) {
    ComposeOptions wanted = options();
    wanted.sources.built_in["trainer/default.yaml"] = "defaults: [default]\n";
    EXPECT_THAT(compose(wanted).error().message, testing::HasSubstr("circle"));
}

TEST(Compose, PrimaryLiesOverTheProgramsOwnDefaults) {
    ComposeOptions wanted = options();
    wanted.base = "config";
    wanted.sources.built_in["mine.yaml"] =
        "defaults:\n  - override /logger: tensorboard\nseed: 5\ntrainer: {lr: 0.5}\n";
    wanted.primary = "mine";
    const Composed composed = compose(wanted).value();
    EXPECT_EQ(composed.config.find("seed")->as_int().value(), 5);
    EXPECT_EQ(composed.config.find("trainer.max_epochs")->as_int().value(), 10);
    EXPECT_DOUBLE_EQ(composed.config.find("trainer.lr")->as_double().value(), 0.5);
    EXPECT_EQ(composed.choice("logger"), "tensorboard");
}

TEST(Compose, MissingPrimaryNamesWhereItLooked) {
    ComposeOptions wanted;
    wanted.sources.search_path = {"/nonexistent-folder"};
    EXPECT_THAT(compose(wanted).error().message,
                testing::AllOf(testing::HasSubstr("config.yaml"),
                               testing::HasSubstr("/nonexistent-folder (does not exist)"),
                               testing::HasSubstr("--config-dir")));
}

}  // namespace
}  // namespace taffrail
