// A run without what these tests do not look at: no snapshot of the environment, no machine load.
#pragma once

#include <taffrail/run.h>

#include <chrono>
#include <string>

namespace taffrail::test {

inline RunOptions bare_options(std::string root, std::string id) {
    RunOptions options;
    options.root = std::move(root);
    options.id = std::move(id);
    options.environment = false;
    options.machine_load.reset();
    options.flush_interval = std::chrono::milliseconds(5);
    return options;
}

}  // namespace taffrail::test
