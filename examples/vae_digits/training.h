// The training loop: any loop of one's own, with loggers, writers and a progress bar.
#pragma once

#include <taffrail/event_writer.h>
#include <taffrail/logger.h>
#include <taffrail/run.h>

#include "settings.h"

#include <optional>

namespace vae_digits {

struct Outcome {
    double psnr_db = 0;  ///< of the held-out digits
    double loss = 0;     ///< of the last epoch
    std::int64_t steps = 0;
};

/// Trains, records and writes the three pictures.
taffrail::Result<Outcome> train(const Settings& settings, taffrail::Run& run,
                                std::vector<std::shared_ptr<taffrail::Logger>>& loggers,
                                std::optional<taffrail::EventWriter>& writer);

}  // namespace vae_digits
