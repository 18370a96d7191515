// A run that remembers what was logged, with its route. Stands in for src/run at link time.
#pragma once

#include <taffrail/run.h>

#include <map>
#include <string>
#include <vector>

namespace taffrail::test {

struct Logged {
    std::string key;
    Step step = 0;
    double scalar = 0;
    Value value;  ///< non-scalars
    RouteMask route = 0;
    bool visible = true;

    bool operator==(const std::string& other) const { return key == other; }
};

/// Everything logged since the last clear(), in order.
std::vector<Logged>& logged();
/// Names of the sinks that were added.
std::vector<std::string>& added_sinks();
void clear();

/// The scalars of a key, and its steps.
std::vector<double> scalars(std::string_view key);
std::vector<Step> steps(std::string_view key);
/// The steps of a key that readers of the store see.
std::vector<Step> kept_steps(std::string_view key);
/// All keys, sorted, each once.
std::vector<std::string> keys();

}  // namespace taffrail::test
