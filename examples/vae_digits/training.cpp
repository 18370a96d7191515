#include "training.h"

#include <taffrail/trainer.h>
#include <taffrail/training_bars.h>

#include "module.h"

namespace vae_digits {

taffrail::Result<Outcome> train(const Settings& settings, taffrail::Run& run,
                                const std::vector<std::shared_ptr<taffrail::Logger>>& loggers,
                                std::optional<taffrail::EventWriter>& writer,
                                const std::shared_ptr<taffrail::Communicator>& ranks,
                                std::shared_ptr<taffrail::Profiler> profiler) {
    DigitsModule module(settings, run, writer, ranks);
    taffrail::TrainerOptions options;
    options.max_epochs = settings.max_epochs;
    options.log_every_n_steps = settings.log_every_n_steps;
    if (settings.limit_train_batches > 0) {
        options.limit_train_batches = settings.limit_train_batches;
    }
    options.fast_dev_run = settings.fast_dev_run;
    options.run = &run;
    options.loggers.assign(loggers.begin(), loggers.end());
    options.communicator = ranks;
    options.profiler = std::move(profiler);
    if (settings.progress_bar && ranks->rank() == 0) {
        options.progress_bar = std::make_shared<taffrail::TrainingBars>(
            taffrail::TrainingBarOptions{.refresh_rate = settings.refresh_rate,
                                         .loggers = options.loggers,
                                         .max_epochs = settings.max_epochs});
    }
    taffrail::Trainer trainer(std::move(options));
    if (auto trained = trainer.fit(module); !trained.ok()) {
        return trained.error();
    }
    if (ranks->rank() == 0) {
        if (auto written = module.finish(trainer.global_step()); !written.ok()) {
            return written.error();
        }
    }
    return Outcome{module.psnr_db(), trainer.global_step(), trainer.exit_code()};
}

}  // namespace vae_digits
