// The training: a module for the Trainer, with loggers, writers and bars.
#pragma once

#include <taffrail/communicator.h>
#include <taffrail/event_writer.h>
#include <taffrail/logger.h>
#include <taffrail/profiler.h>
#include <taffrail/run.h>

#include "settings.h"

#include <optional>

namespace vae_digits {

struct Outcome {
    double psnr_db = 0;  ///< of the held-out digits of all ranks
    std::int64_t steps = 0;
    int exit_code = 0;  ///< as the trainer gives it: 130 after Ctrl-C
};

/// Trains, records and, on rank 0, writes the three pictures.
taffrail::Result<Outcome> train(const Settings& settings, taffrail::Run& run,
                                const std::vector<std::shared_ptr<taffrail::Logger>>& loggers,
                                std::optional<taffrail::EventWriter>& writer,
                                const std::shared_ptr<taffrail::Communicator>& ranks,
                                std::shared_ptr<taffrail::Profiler> profiler);

}  // namespace vae_digits
