// The two shapes of configuration, from text to options.
#include <taffrail/event_writer.h>
#include <taffrail/logger.h>
#include <taffrail/profiler.h>

#include "pipeline/watched_run.h"
#include "places.h"

#include <gmock/gmock.h>

namespace taffrail {
namespace {

// The real TensorBoard sink has tests of its own; here its names are enough.
class SilentSink : public Sink {
  public:
    Result<void> open(const SinkContext&) override { return {}; }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        delivered = records.size();
        return {};
    }

    Result<void> flush() override { return {}; }

    Result<void> close(RunState) override { return {}; }

    [[nodiscard]] bool accepts(Kind) const noexcept override { return true; }
};

class LoggingConfigTest : public testing::Test {
  protected:
    void SetUp() override {
        register_sink({"tensorboard", "TensorboardWriter", "", [](const OptionMap&) {
                           return Result<std::unique_ptr<Sink>>(std::make_unique<SilentSink>());
                       }});
    }

    static std::string folder() { return tests::data_folder() + "/config"; }

    static Result<LoggingOptions> logging(std::string_view text) {
        return logging_options(*Config::parse(text, "f.yaml").value().find("logging"));
    }

    static Result<std::vector<LoggerOptions>> loggers(std::string_view experiment) {
        ComposeOptions options;
        options.sources.built_in = {{"config.yaml", "defaults: [{experiment: e}]\n"},
                                    {"experiment/e.yaml", std::string(experiment)}};
        options.sources.known_options["logger"] = {"csv", "tensorboard", "aim"};
        auto composed = compose(options);
        if (!composed.ok()) {
            return composed.error();
        }
        return logger_options(*composed);
    }

    taffrail::Run& run = test::fresh_run();
};

TEST_F(LoggingConfigTest, LoggingBlockAsPrinted) {
    const Config config = Config::load(folder() + "/logging_block.yaml").value();
    const LoggingOptions options = logging_options(*config.find("logging")).value();
    EXPECT_EQ(options.steps_per_log, 10);
    EXPECT_EQ(options.max_buffer_size, 20);
    EXPECT_EQ(options.profiler, "none");
    ASSERT_EQ(options.writers.size(), 2u);
    EXPECT_EQ(options.writers[0].name, "TensorboardWriter");
    EXPECT_EQ(options.writers[1].options[1].second,
              "[ITER_TRAIN_TIME, TRAIN_RAYS_PER_SEC, CURR_TEST_PSNR]");
    EXPECT_TRUE(EventWriter::make(run, options).ok());
    EXPECT_THAT(test::added_sinks(), testing::ElementsAre("TensorboardWriter", "LocalWriter"));
}

TEST_F(LoggingConfigTest, ProfilersThatAreLackingAreRefusedWithTheirPlace) {
    EXPECT_THAT(logging("logging:\n  steps_per_log: 1\n  profiler: fast\n").error().message,
                testing::AllOf(testing::StartsWith("f.yaml:3:3: "), testing::HasSubstr("'fast'")));
}

TEST_F(LoggingConfigTest, BothSpellingsOfTheProfiler) {
    EXPECT_EQ(logging("logging: {enable_profiler: True}").value().profiler, "basic");
    EXPECT_EQ(logging("logging: {profiler: simple}").value().profiler, "simple");
    EXPECT_EQ(logging("logging: {enable_profiler: False}").value().profiler, "none");
}

TEST_F(LoggingConfigTest, MistakesNameTheirPlace) {
    EXPECT_THAT(
        logging("logging:\n  writer:\n    LocalWriter:\n      max_log_size: 1\n").error().message,
        testing::AllOf(testing::StartsWith("f.yaml:3:"),
                       testing::HasSubstr("'LocalWriter' needs a 'log_dir'")));
    EXPECT_THAT(logging("logging:\n  writer:\n    LocalWritr: {log_dir: x}\n").error().message,
                testing::AllOf(testing::HasSubstr("did you mean 'LocalWriter'"),
                               testing::HasSubstr("TensorboardWriter")));
    EXPECT_THAT(
        logging("logging:\n  writer:\n    LocalWriter: {log_dir: x, stats_to_track: [ETAA]}\n")
            .error()
            .message,
        testing::AllOf(testing::StartsWith("f.yaml:3:"), testing::HasSubstr("did you mean 'ETA'")));
    EXPECT_THAT(logging("logging: {step_per_log: 1}").error().message,
                testing::HasSubstr("did you mean 'steps_per_log'"));
    EXPECT_THAT(logging("logging: {steps_per_log: 0}").error().message,
                testing::HasSubstr("at least 1"));
    EXPECT_THAT(logging("logging: {steps_per_log: often}").error().message,
                testing::HasSubstr("whole number"));
}

constexpr const char* kExperiment = R"(
defaults:
  - ...
  - override /logger: OVERRIDE
logger:
  BLOCK:
    config:
      loggers: ["metric", "image", "hist", "hparams"]
      tracked_variables:
        metric: ["reconstruction_loss", "regularization_loss"]
        image: ["render_gt", "render_rec_gt", "render_rec"]
        hist: ["hist_loss"]
)";

std::string experiment(const std::string& chosen, const std::string& block) {
    std::string text = kExperiment;
    text.replace(text.find("OVERRIDE"), 8, chosen);
    text.replace(text.find("BLOCK"), 5, block);
    return text;
}

TEST_F(LoggingConfigTest, ExperimentMakesALogger) {
    const auto options = loggers(experiment("tensorboard", "tensorboard")).value();
    ASSERT_EQ(options.size(), 1u);
    EXPECT_EQ(options[0].interface, "tensorboard");
    EXPECT_THAT(options[0].routines, testing::ElementsAre("metric", "image", "hist", "hparams"));
    EXPECT_THAT(options[0].tracked_variables.at("image"),
                testing::ElementsAre("render_gt", "render_rec_gt", "render_rec"));
}

TEST_F(LoggingConfigTest, BlockThatDoesNotMatchTheChosenLoggerIsRefused) {
    EXPECT_THAT(loggers(experiment("tensorboard", "aim")).error().message,
                testing::AllOf(testing::HasSubstr("e.yaml:6:"),
                               testing::HasSubstr("'logger.aim' does not match"),
                               testing::HasSubstr("'tensorboard'")));
    EXPECT_THAT(loggers(experiment("aim", "tensorboard")).error().message,
                testing::AllOf(testing::HasSubstr("e.yaml:6:"),
                               testing::HasSubstr("'logger.tensorboard' does not match"),
                               testing::HasSubstr("'aim'")));
}

TEST_F(LoggingConfigTest, TrackersThatABuildMayLackAreKnownNames) {
    EXPECT_THAT(interface_names(),
                testing::IsSupersetOf({"aim", "comet", "mlflow", "neptune", "wandb"}));
}

TEST_F(LoggingConfigTest, InterfaceThatIsNotBuiltInIsRefused) {
    auto options = loggers(experiment("aim", "aim")).value();
    options[0].interface = "sacred";  // a tracker that nothing here speaks to
    EXPECT_THAT(Logger::make(run, options[0]).error().message, testing::HasSubstr("sacred"));
}

TEST_F(LoggingConfigTest, RoutineMistakesNameTheirPlace) {
    EXPECT_THAT(loggers("logger:\n  csv:\n    config:\n      loggers: [metrics]\n").error().message,
                testing::AllOf(testing::HasSubstr("e.yaml:4:"),
                               testing::HasSubstr("did you mean 'metric'")));
    EXPECT_THAT(loggers("logger:\n  csv:\n    config:\n      loggers: [metric]\n      "
                        "tracked_variables:\n        image: [x]\n")
                    .error()
                    .message,
                testing::AllOf(testing::HasSubstr("e.yaml:6:"),
                               testing::HasSubstr("not in the list of loggers")));
    EXPECT_THAT(loggers("logger:\n  csv:\n    confg: {}\n").error().message,
                testing::HasSubstr("did you mean 'config'"));
}

TEST_F(LoggingConfigTest, FindingT16_NamesAtTheWrongLevelAndMisspeltOnesAreRefusedWithTheirPlace) {
    const auto refusal = [&](const std::string& block) {
        const auto made = loggers("logger:\n  csv:\n" + block);
        return made.ok() ? std::string("accepted") : made.error().message;
    };
    using testing::AllOf, testing::HasSubstr;
    for (const std::string name : {"loggers: [metric]", "tracked_variables: {metric: [loss]}"}) {
        EXPECT_THAT(refusal("    " + name + "\n"),
                    AllOf(HasSubstr("e.yaml:3:"), HasSubstr("belongs inside its 'config:'")));
    }
    EXPECT_THAT(refusal("    interface: nonsense\n"),
                AllOf(HasSubstr("e.yaml:3:"), HasSubstr("leave 'interface' out")));
    EXPECT_THAT(refusal("    config:\n      tracked_variable: {metric: [loss]}\n"),
                AllOf(HasSubstr("e.yaml:4:"), HasSubstr("did you mean 'tracked_variables'")));
    EXPECT_THAT(refusal("    config:\n      log_every_n_itr: 5\n"),
                AllOf(HasSubstr("e.yaml:4:"), HasSubstr("did you mean 'log_every_n_iter'")));
    EXPECT_THAT(refusal("    config:\n      no_such_option: 5\n"),
                AllOf(HasSubstr("e.yaml:"), HasSubstr("no_such_option")));
}

TEST_F(LoggingConfigTest, OptionsOfPartsAreRefusedWithTheirOwnPlace) {
    const auto refusal = [&](const std::string& lines) {
        const auto made = loggers("logger:\n  csv:\n    config:\n      log_dir: out\n" + lines);
        return made.ok() ? std::string("accepted") : made.error().message;
    };
    using testing::AllOf, testing::HasSubstr;
    EXPECT_THAT(refusal("      flush_logs_every_n_steps: 0\n"),
                AllOf(HasSubstr("e.yaml:5:"), HasSubstr("whole number of at least 1")));
    EXPECT_THAT(refusal("      prefx: x\n"),
                AllOf(HasSubstr("e.yaml:5:"), HasSubstr("did you mean 'prefix'")));
    const std::string routines = "      loggers: [hist]\n      routine_options:\n";
    EXPECT_THAT(refusal(routines + "        hist: {bins: none}\n"),
                AllOf(HasSubstr("e.yaml:7:"), HasSubstr("'bins' must be a whole number")));
    EXPECT_THAT(refusal(routines + "        hist: {bin: 3}\n"),
                AllOf(HasSubstr("e.yaml:7:"), HasSubstr("did you mean 'bins'")));
    EXPECT_THAT(refusal(routines + "        video: {fps: 3}\n"),
                AllOf(HasSubstr("e.yaml:7:"), HasSubstr("not in the list of loggers")));
    EXPECT_EQ(refusal(routines + "        hist: {bins: 3}\n"), "accepted");
}

TEST_F(LoggingConfigTest, OtherNamesOfTheBlockAreOptionsOfTheInterface) {
    const auto options = loggers(
                             "logger:\n  csv:\n    config: {log_dir: out, log_every_n_iter: 5, "
                             "gpu_summarize: false}\n")
                             .value();
    EXPECT_EQ(options[0].interface_options, (OptionMap{{"log_dir", "out"}}));
    EXPECT_EQ(options[0].log_every_n_iter, 5);
    EXPECT_FALSE(options[0].gpu_summarize);
}

// The six quantities of the page, what their routines derive, and nothing else.
TEST_F(LoggingConfigTest, KeysOfTheExperimentOfThePage) {
    auto options = loggers(experiment("tensorboard", "tensorboard")).value();
    options[0].print_epochs = false;
    auto logger = Logger::make(run, options[0]).value();
    logger->log_hparams({{"lr", 0.5}});
    const std::vector<float> pixels(4 * 4, 0.5f), values(10, 1.0f);
    DataMap data;
    data.values["reconstruction_loss"] = 1.0;
    data.values["regularization_loss"] = 2.0;
    data.values["not_tracked"] = 3.0;
    for (const char* name : {"render_gt", "render_rec_gt", "render_rec"}) {
        data.values[name] = ImageView{TensorView(pixels.data(), DType::F32, {4, 4})};
    }
    data.values["hist_loss"] = TensorView(values);
    logger->log_iter(data);
    logger->log_epoch();
    EXPECT_THAT(test::keys(),
                testing::ElementsAre("Hist/hist_loss/train", "Image/render_gt/train",
                                     "Image/render_rec/train", "Image/render_rec_gt/train",
                                     "Metric-BatchWise/reconstruction_loss/train",
                                     "Metric-BatchWise/regularization_loss/train",
                                     "Metric-EpochWise/reconstruction_loss/train",
                                     "Metric-EpochWise/regularization_loss/train",
                                     "Metric-Hist/reconstruction_loss/train",
                                     "Metric-Hist/regularization_loss/train", "hparams"));
}

TEST_F(LoggingConfigTest, ShapesComposingKnowsTheInterfacesOfTheBuild) {
    ComposeOptions options;
    options.sources.built_in = {{"config.yaml", "defaults:\n  - logger: csv\n"}};
    const auto without = compose(options);
    ASSERT_FALSE(without.ok());
    EXPECT_THAT(without.error().message, testing::HasSubstr("with_known_parts()"));
    const auto with = compose(with_known_parts(options));
    ASSERT_TRUE(with.ok()) << with.error().message;
    EXPECT_EQ(with->choice("logger"), "csv");
    options.overrides = {"logger=cvs"};
    EXPECT_THAT(compose(with_known_parts(options)).error().message,
                testing::HasSubstr("did you mean 'csv'"));
}

TEST_F(LoggingConfigTest, RecordableHidesSecrets) {
    const Config config = Config::parse("url: https://user:hunter2@host/x\nlr: 0.5\n").value();
    const Hparams values = recordable(config);
    EXPECT_THAT(std::get<std::string>(values[0].second),
                testing::Not(testing::HasSubstr("hunter2")));
    EXPECT_EQ(std::get<double>(values[1].second), 0.5);
}

}  // namespace
}  // namespace taffrail
