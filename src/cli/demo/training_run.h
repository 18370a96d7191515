// Writes one made-up training run: every kind of record, all its ranks and attempts.
#pragma once

#include "cli/demo/recipe.h"
#include "cli/demo_data.h"

namespace taffrail::cli::demo {

/// The `index`-th of `options.runs` runs, below `root`.
Result<void> write_training_run(const std::string& root, const DemoOptions& options,
                                std::int64_t index);

}  // namespace taffrail::cli::demo
