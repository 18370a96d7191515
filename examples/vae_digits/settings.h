// The program's settings, read from its configuration.
#pragma once

#include <taffrail/config.h>

#include "model.h"

#include <cstdint>
#include <string>

namespace vae_digits {

struct Settings {
    std::string project, name, notes, output_dir;
    std::uint64_t seed = 0;
    ModelShape model;
    int max_epochs = 0, batch_size = 0, train_digits = 0, held_out_digits = 0;
    int read_ms = 0;           ///< a batch takes so much longer to make
    int workers = 0;           ///< above 0: batches are made ahead
    int unreadable_batch = 0;  ///< of each pass; counted from 1, 0 = none
    double learning_rate = 0, beta = 0;
    bool progress_bar = true;
    int refresh_rate = 1;
    int limit_train_batches = 0;  ///< 0 = all
    int log_every_n_steps = 50;
    int fast_dev_run = 0;
    /// A configuration lists what is logged and where: then nothing else is sent there.
    bool by_configuration = false;
};

/// The built-in configuration and the search path: configs/ here, then the one beside the program.
taffrail::ComposeOptions configuration();

/// Refuses values that cannot work, with their place.
taffrail::Result<Settings> read_settings(const taffrail::Config& config);

}  // namespace vae_digits
