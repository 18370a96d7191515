// Runs the example that is installed beside the command.
#pragma once

#include <taffrail/result.h>

#include <string>
#include <vector>

namespace taffrail::cli {

/// Trains vae_digits with `settings` as its arguments, recording into `root`. It has the terminal
/// while it runs; signals reach it. Returns its exit code, 128 + the signal that ended it.
Result<int> train_example(const std::string& root, const std::vector<std::string>& settings);

}  // namespace taffrail::cli
