// Options of the `comet` sink, and what the variables of the official program add to them.
#pragma once

#include <taffrail/options.h>
#include <taffrail/sink.h>

#include "base/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::sinks::comet {

struct Options {
    std::string log_dir;  ///< archives go here; empty: inside the run's own folder
    std::string project, workspace, name, key;
    std::vector<std::string> tags;
    std::string ranks = "zero";
    bool console = true, system_metrics = true;
    std::function<std::int64_t()> now_ns = wall_time_ns;
};

const OptionSchema<Options>& schema();

/// Fills what was not given. Fails for a key that the tracker would not take.
Result<Options> completed(Options options, const SinkContext& context);

}  // namespace taffrail::sinks::comet
