// What a made-up training run was started with, and what follows from it: the curves depend on the
// settings, so that questions like "which setting matters" have a true answer.
#pragma once

#include <taffrail/reader.h>

#include "cli/demo/random.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::cli::demo {

/// What is special about a run; by its place in the list.
enum class Fate : std::uint8_t {
    Finishes,
    LogsNonFinite,  ///< NaN and infinities in the middle of the loss
    Spikes,         ///< one value far out
    Fails,          ///< the loss turns NaN and the program says so
    Resumes,        ///< killed, started again from a checkpoint
    Crashes,        ///< killed
    GoesSilent,     ///< no end was ever written
};

struct Recipe {
    std::int64_t index = 0;
    double learning_rate = 0, weight_decay = 0, dropout = 0;
    std::int64_t depth = 0, batch_size = 0;
    std::string model, optimizer;
    bool augment = false;
    std::int32_t world_size = 1;
    Fate fate = Fate::Finishes;
    /// Loss on held-out data at the end. Learning rate drives it most (best at 6e-4), then depth
    /// (best at 4), then dropout; batch size, weight decay and seed do nothing.
    double floor = 0;
    double speed = 0;
};

Recipe make_recipe(std::int64_t index, std::int64_t runs, Random& random);
RunInfo describe(const Recipe& recipe, std::int64_t start_ns, Random& random);
/// "n17", "n18": one per rank.
std::string host_of(const Recipe& recipe, std::int32_t rank);
Hparams environment_of(const Recipe& recipe, Random& random);
/// Lines with colours and warnings, as a training program prints them.
std::vector<ConsoleLine> console_of(const Recipe& recipe, std::int32_t rank, std::int64_t lines,
                                    std::int64_t start_ns, std::int64_t end_ns);
/// Sorts by time, same for the same seed.
std::string seeded_id(std::int64_t time_ns, Random& random);

}  // namespace taffrail::cli::demo
