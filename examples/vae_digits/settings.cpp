#include "settings.h"

#include <taffrail/logger.h>
#include <taffrail/profiler.h>

#include <filesystem>

namespace vae_digits {
namespace {

constexpr const char* kConfig = R"(
defaults:
  - trainer: default
  - model: small
  - data: digits
  - profiler: none
  - _self_

project: vae             # not the one of the made-up runs of `taffrail demo generate`: other metrics
name: vae-digits
notes: A variational auto-encoder on digits that the example draws itself.
seed: 7
output_dir: .            # orig_data.png, reconstructions.png, generated_samples.png, weights.f32
logging: null            # a block with writers, see docs/guide/configuration.md
)";

constexpr const char* kTrainer = R"(
max_epochs: 12
learning_rate: 2.0e-3
beta: 1.0                # weight of the divergence
limit_train_batches: 0   # 0 = all
log_every_n_steps: 50    # rows to trackers; the run itself keeps every step
fast_dev_run: 0          # so many batches, to see that it runs
enable_progress_bar: true
refresh_rate: 1
)";

constexpr const char* kModel = R"(
hidden: 192
latent: 16
)";

constexpr const char* kData = R"(
train_digits: 6000
held_out_digits: 500
batch_size: 64
read_ms: 0               # as if the files of a batch took so long to read, to see what the profilers say
workers: 0               # 1 = the next batch is made while this one is computed with
unreadable_batch: 0      # as if the n-th batch could not be read, to see what is left of a run that fails
)";

// The example's configs/ where the build and where an installation put them: its experiments are
// found from any folder.
std::vector<std::string> folders_beside_the_program() {
    std::error_code unknown;
    const auto program = std::filesystem::canonical("/proc/self/exe", unknown);
    std::vector<std::string> folders;
    for (const char* place : {"configs", "../share/taffrail/configs"}) {
        const auto folder = (program.parent_path() / place).lexically_normal();
        if (!unknown && std::filesystem::is_directory(folder, unknown)) {
            folders.push_back(folder.string());
        }
    }
    return folders;
}

taffrail::Result<int> at_least(const taffrail::Config& config, std::string_view path, int least) {
    auto value = config.int_or(path, -1);
    if (!value.ok()) {
        return value.error();
    }
    if (*value < least || *value > 1'000'000'000) {
        const taffrail::Config* place = config.find(path);
        return (place != nullptr ? *place : config)
            .error("'" + std::string(path) + "' must be a whole number of at least " +
                   std::to_string(least));
    }
    return static_cast<int>(*value);
}

}  // namespace

taffrail::ComposeOptions configuration() {
    taffrail::ComposeOptions options;
    options.base = "config";
    options.sources.built_in = {{"config.yaml", kConfig},
                                {"trainer/default.yaml", kTrainer},
                                {"model/small.yaml", kModel},
                                {"model/large.yaml", "hidden: 320\nlatent: 24\n"},
                                {"data/digits.yaml", kData}};
    options.sources.search_path = {"configs"};
    for (std::string& folder : folders_beside_the_program()) {
        options.sources.search_path.push_back(std::move(folder));
    }
    return taffrail::with_known_parts(std::move(options));
}

taffrail::Result<Settings> read_settings(const taffrail::Config& config) {
    try {
        Settings settings;
        settings.project = config.text_or("project", "vae").value();
        settings.name = config.text_or("name", "").value();
        settings.notes = config.text_or("notes", "").value();
        settings.output_dir = config.text_or("output_dir", ".").value();
        settings.seed = static_cast<std::uint64_t>(config.int_or("seed", 7).value());
        settings.model.hidden = at_least(config, "model.hidden", 1).value();
        settings.model.latent = at_least(config, "model.latent", 3).value();
        settings.max_epochs = at_least(config, "trainer.max_epochs", 0).value();
        settings.limit_train_batches = at_least(config, "trainer.limit_train_batches", 0).value();
        settings.log_every_n_steps = at_least(config, "trainer.log_every_n_steps", 0).value();
        settings.fast_dev_run = at_least(config, "trainer.fast_dev_run", 0).value();
        settings.learning_rate = config.double_or("trainer.learning_rate", 2e-3).value();
        settings.beta = config.double_or("trainer.beta", 1).value();
        settings.progress_bar = config.bool_or("trainer.enable_progress_bar", true).value();
        settings.refresh_rate = at_least(config, "trainer.refresh_rate", 0).value();
        settings.train_digits = at_least(config, "data.train_digits", 10).value();
        settings.held_out_digits = at_least(config, "data.held_out_digits", 40).value();
        settings.batch_size = at_least(config, "data.batch_size", 2).value();
        settings.read_ms = at_least(config, "data.read_ms", 0).value();
        settings.workers = at_least(config, "data.workers", 0).value();
        settings.unreadable_batch = at_least(config, "data.unreadable_batch", 0).value();
        return settings;
    } catch (const taffrail::ResultError& error) {
        return error.error();
    }
}

}  // namespace vae_digits
