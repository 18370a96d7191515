// A variational auto-encoder on digits that the program draws itself, recorded with everything the
// library can log.
//
//   vae_digits                                       train and record into ./taffrail
//   vae_digits trainer.max_epochs=1 profiler=simple  change settings, see where its time goes
//   vae_digits experiment=vae_tensorboard            a file of configs/experiment
//   vae_digits --cfg                                 print the configuration and stop
#include <taffrail/taffrail.h>

#include "ranks.h"
#include "settings.h"
#include "training.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>

namespace {

constexpr int kWrongUsage = 2;

int fail(const taffrail::Error& error, int code) {
    std::fprintf(stderr, "vae_digits: %s\n", error.message.c_str());
    return code;
}

void print_help() {
    std::puts(
        "Trains a variational auto-encoder on digits it draws itself and records the run.\n\n"
        "  vae_digits [--config-dir DIR] [--config-name NAME] [--cfg] [key=value …]\n\n"
        "  trainer.max_epochs=1          change a value; see --cfg for all of them\n"
        "  experiment=vae_tensorboard    take a file of configs/experiment\n"
        "  logger=tensorboard            send the run to a tracker as well\n"
        "  profiler=simple               measure it: none, basic, simple, advanced, trace\n"
        "  +new.key=1   ~key             add and remove values\n\n"
        "example: vae_digits trainer.max_epochs=1 profiler=simple");
}

}  // namespace

int main(int count, char** words) {
    const std::span<const char* const> arguments(words + 1, static_cast<std::size_t>(count - 1));
    const auto command = taffrail::parse_config_command(arguments, vae_digits::configuration());
    if (!command.ok()) {
        return fail(command.error(), kWrongUsage);
    }
    if (command->help) {
        print_help();
        return 0;
    }
    const auto composed = taffrail::compose(command->compose);
    if (!composed.ok()) {
        return fail(composed.error(), kWrongUsage);
    }
    if (command->print_config) {
        std::fputs(composed->config.to_yaml().c_str(), stdout);
        return 0;
    }
    auto settings = vae_digits::read_settings(composed->config);
    if (!settings.ok()) {
        return fail(settings.error(), kWrongUsage);
    }
    const taffrail::Config* block = composed->config.find("logging");
    const auto logging = taffrail::logging_options(block != nullptr ? *block : taffrail::Config());
    if (!logging.ok()) {
        return fail(logging.error(), kWrongUsage);
    }
    const auto profiler_options = taffrail::profiler_options(*composed);
    if (!profiler_options.ok()) {
        return fail(profiler_options.error(), kWrongUsage);
    }
    const std::string profiler_name =
        logging->profiler != "none" ? logging->profiler : composed->choice("profiler", "none");
    auto profiler = taffrail::make_profiler(profiler_name, *profiler_options);
    if (!profiler.ok()) {
        return fail(profiler.error(), kWrongUsage);
    }
    const auto wanted = taffrail::logger_options(*composed);
    if (!wanted.ok()) {
        return fail(wanted.error(), kWrongUsage);
    }
    for (const auto& logger : *wanted) {
        // Before there is a run: an interface that this build lacks shall not leave an empty one
        // behind.
        if (const auto sink = taffrail::make_sink(logger.interface, logger.interface_options);
            !sink.ok()) {
            return fail(sink.error(), kWrongUsage);
        }
        settings->by_configuration =
            settings->by_configuration || !logger.tracked_variables.empty();
    }
    settings->by_configuration = settings->by_configuration || !logging->writers.empty();

    const auto joined = vae_digits::join_ranks();
    if (!joined.ok()) {
        return fail(joined.error(), 1);
    }
    const std::shared_ptr<taffrail::Communicator> ranks = *joined;
    taffrail::Run run = taffrail::init({.project = settings->project,
                                        .name = settings->name,
                                        .tags = {"example"},
                                        .notes = settings->notes});
    auto loggers = taffrail::make_loggers(run, *composed);
    if (!loggers.ok()) {
        (void)run.finish(taffrail::RunState::Failed);
        return fail(loggers.error(), kWrongUsage);
    }
    // After the trackers are there, so that they get the settings too.
    run.log_hparams(taffrail::recordable(composed->config));
    std::optional<taffrail::EventWriter> writer;
    if (!logging->writers.empty()) {
        auto options = *logging;
        options.max_iterations =
            settings->max_epochs * (settings->train_digits / settings->batch_size);
        auto made = taffrail::EventWriter::make(run, std::move(options));
        if (!made.ok()) {
            (void)run.finish(taffrail::RunState::Failed);
            return fail(made.error(), kWrongUsage);
        }
        writer.emplace(*std::move(made));
    }

    const auto outcome =
        vae_digits::train(*settings, run, *loggers, writer, ranks, *std::move(profiler));
    for (const auto& logger : *loggers) {
        logger->end_log();
    }
    // How the training ended, the run knows from the trainer.
    const auto finished = run.finish();
    if (!outcome.ok()) {
        return fail(outcome.error(), 1);
    }
    if (ranks->rank() != 0) {
        return finished.ok() ? outcome->exit_code : 1;
    }
    const auto pictures = std::filesystem::absolute(settings->output_dir).lexically_normal();
    std::printf("held-out PSNR %.2f dB after %lld steps; pictures in %s\n", outcome->psnr_db,
                static_cast<long long>(outcome->steps), pictures.c_str());
    if (run.active()) {
        std::printf("run %s in %s\n", run.name().c_str(), run.folder().c_str());
    }
    return finished.ok() ? outcome->exit_code : fail(finished.error(), 1);
}
