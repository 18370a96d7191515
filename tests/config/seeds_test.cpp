// Both shapes of configuration that people already have load as they stand.
#include <taffrail/config.h>

#include "places.h"

#include <gmock/gmock.h>

namespace taffrail {
namespace {

const std::string kFolder = tests::data_folder() + "/config";

TEST(KnownConfigurations, LoggingBlockLoadsAsPrinted) {
    const Config config = Config::load(kFolder + "/logging_block.yaml").value();
    EXPECT_EQ(config.find("logging.steps_per_log")->as_int().value(), 10);
    EXPECT_EQ(config.find("logging.max_buffer_size")->as_int().value(), 20);
    EXPECT_THAT(config.find("logging.writer")->names(),
                testing::ElementsAre("TensorboardWriter", "LocalWriter"));
    EXPECT_THAT(config.find("logging.writer.LocalWriter.stats_to_track")->as_text_list().value(),
                testing::ElementsAre("ITER_TRAIN_TIME", "TRAIN_RAYS_PER_SEC", "CURR_TEST_PSNR"));
    EXPECT_TRUE(Config::load(kFolder + "/logging_profiler.yaml")
                    .value()
                    .find("logging.enable_profiler")
                    ->as_bool()
                    .value());
}

TEST(KnownConfigurations, ExperimentFileLoadsAsPrintedAndItsDotsAreIgnored) {
    ComposeOptions options;
    options.sources.search_path = {kFolder};
    options.sources.built_in["config.yaml"] = "defaults:\n  - logger: csv\n";
    options.sources.known_options["logger"] = {"csv", "aim", "tensorboard"};
    options.overrides = {"experiment=experiment_block"};
    const Composed composed = compose(options).value();
    EXPECT_EQ(composed.choice("logger"), "aim");
    EXPECT_THAT(composed.config.find("logger.aim.config.loggers")->as_text_list().value(),
                testing::ElementsAre("metric", "image", "hist", "hparams"));
    EXPECT_THAT(
        composed.config.find("logger.aim.config.tracked_variables.image")->as_text_list().value(),
        testing::ElementsAre("render_gt", "render_rec_gt", "render_rec"));
}

// The same file as the primary configuration, by path.
TEST(KnownConfigurations, ExperimentFileServesAsPrimary) {
    ComposeOptions options;
    options.primary = kFolder + "/experiment/experiment_block.yaml";
    options.sources.known_options["logger"] = {"aim"};
    EXPECT_EQ(compose(options).value().choice("logger"), "aim");
}

}  // namespace
}  // namespace taffrail
