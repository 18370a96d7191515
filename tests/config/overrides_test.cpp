#include "config/overrides.h"

#include <taffrail/config.h>

#include <gmock/gmock.h>

namespace taffrail {
namespace {

Result<Config> with(std::string_view yaml, std::vector<std::string> overrides) {
    ComposeOptions options;
    options.sources.built_in["config.yaml"] = yaml;
    options.overrides = std::move(overrides);
    auto composed = compose(options);
    if (!composed.ok()) {
        return composed.error();
    }
    return composed->config;
}

constexpr std::string_view kBase =
    "trainer: {max_epochs: 10, lr: 0.1, name: run, fast: false, sizes: [1, 2]}\nseed: null\n";

TEST(Overrides, SetTypedValuesAndTheLastOneWins) {
    const Config config =
        with(kBase, {"trainer.max_epochs=1", "trainer.max_epochs=3", "trainer.lr=1",
                     "trainer.name=5", "trainer.fast=true", "trainer.sizes=[4,5,6]", "seed=7"})
            .value();
    EXPECT_EQ(config.find("trainer.max_epochs")->as_int().value(), 3);
    EXPECT_EQ(config.find("trainer.lr")->type(), Config::Type::Float);
    EXPECT_EQ(config.find("trainer.name")->type(), Config::Type::Text);
    EXPECT_TRUE(config.find("trainer.fast")->as_bool().value());
    EXPECT_EQ(config.find("trainer.sizes")->size(), 3u);
    EXPECT_EQ(config.find("seed")->as_int().value(), 7);
}

TEST(Overrides, WrongTypeIsRefused) {
    EXPECT_THAT(
        with(kBase, {"trainer.max_epochs=many"}).error().message,
        testing::AllOf(testing::HasSubstr("trainer.max_epochs=many"),
                       testing::HasSubstr("a whole number (10, set at built-in config.yaml:1:")));
    EXPECT_FALSE(with(kBase, {"trainer.max_epochs=1.5"}).ok());
    EXPECT_FALSE(with(kBase, {"trainer.fast=maybe"}).ok());
}

TEST(Overrides, UnknownKeyIsRefusedWithASuggestion) {
    EXPECT_THAT(with(kBase, {"trainer.max_epoch=1"}).error().message,
                testing::AllOf(testing::HasSubstr("did you mean 'trainer.max_epochs'"),
                               testing::HasSubstr("+trainer.max_epoch=1")));
}

TEST(Overrides, PlusAddsAndTildeRemoves) {
    const Config config =
        with(kBase, {"+trainer.extra.deep=1", "~trainer.sizes", "++seed=3", "++new=4"}).value();
    EXPECT_EQ(config.find("trainer.extra.deep")->as_int().value(), 1);
    EXPECT_EQ(config.find("trainer.sizes"), nullptr);
    EXPECT_EQ(config.find("new")->as_int().value(), 4);
    EXPECT_THAT(with(kBase, {"+seed=1"}).error().message, testing::HasSubstr("exists already"));
    EXPECT_FALSE(with(kBase, {"~nothing"}).ok());
    EXPECT_TRUE(with(kBase, {"~trainer.lr=0.1"}).ok());
    EXPECT_FALSE(with(kBase, {"~trainer.lr=0.2"}).ok());
}

TEST(Overrides, ListElementsAreReachableByNumber) {
    EXPECT_EQ(with(kBase, {"trainer.sizes.1=9"}).value().find("trainer.sizes.1")->as_int().value(),
              9);
    EXPECT_FALSE(with(kBase, {"trainer.sizes.2=9"}).ok());
}

TEST(Overrides, ValuesMayHoldEqualsSignsAndInterpolations) {
    const Config config =
        with(kBase, {"+a=b=c", "trainer.max_epochs=${seed2}", "+seed2=4"}).value();
    EXPECT_EQ(config.find("a")->as_text().value(), "b=c");
    EXPECT_EQ(config.find("trainer.max_epochs")->as_int().value(), 4);
}

TEST(Overrides, WordsWithoutEqualsSignAreErrors) {
    EXPECT_THAT(with(kBase, {"trainer"}).error().message, testing::HasSubstr("key=value"));
    EXPECT_THAT(with(kBase, {"=3"}).error().message, testing::HasSubstr("no key"));
}

TEST(CommandLine, SeparatesOptionsFromOverrides) {
    const char* const words[] = {"--config-dir",       "mine", "--cfg", "job", "a.b=1", "~c",
                                 "--config-name=other"};
    const ConfigCommand command = parse_config_command(words, {}).value();
    EXPECT_TRUE(command.print_config);
    EXPECT_THAT(command.compose.overrides, testing::ElementsAre("a.b=1", "~c"));
    EXPECT_THAT(command.compose.sources.search_path, testing::ElementsAre("mine"));
    EXPECT_EQ(command.compose.primary, "other");
    const char* const wrong[] = {"--confg-dir", "x"};
    EXPECT_THAT(parse_config_command(wrong, {}).error().message,
                testing::HasSubstr("did you mean '--config-dir'"));
}

TEST(CommandLine, FolderOfTheEnvironmentComesAfterThoseGivenAndBeforeThePrograms) {
    const char* const words[] = {"--config-dir", "mine"};
    ComposeOptions own;
    own.sources.search_path = {"configs"};
    ASSERT_EQ(setenv("TAFFRAIL_CONFIG_PATH", "/theirs", 1), 0);
    const auto command = parse_config_command(words, own);
    ASSERT_EQ(setenv("TAFFRAIL_CONFIG_PATH", "", 1), 0);
    EXPECT_THAT(command.value().compose.sources.search_path,
                testing::ElementsAre("mine", "/theirs", "configs"));
    EXPECT_THAT(parse_config_command({}, own).value().compose.sources.search_path,
                testing::ElementsAre("configs"));
    ASSERT_EQ(unsetenv("TAFFRAIL_CONFIG_PATH"), 0);
}

}  // namespace
}  // namespace taffrail
