// A real run, and everything its log holds: keys, values, routes, and what readers do not see.
#pragma once

#include <taffrail/run.h>

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::test {

struct Logged {
    std::string key;
    Step step = 0;
    double scalar = 0;
    Value value;  ///< non-scalars, their files loaded
    RouteMask route = 0;
    bool visible = true;
};

/// A new run in a folder of its own; the one before ends.
Run& fresh_run();

/// Everything logged to it since clear(), in order. The list grows and never moves what it showed
/// while nothing is logged.
const std::vector<Logged>& logged();
/// What the run's sinks were made from.
std::vector<std::string> added_sinks();
/// Forgets what was logged so far.
void clear();

/// The scalars of a key, and its steps.
std::vector<double> scalars(std::string_view key);
std::vector<Step> steps(std::string_view key);
/// The steps of a key that readers of the store see.
std::vector<Step> kept_steps(std::string_view key);
/// All keys, sorted, each once.
std::vector<std::string> keys();

}  // namespace taffrail::test
