// Options of the `neptune` sink, and what the variables of the official program add to them.
#pragma once

#include <taffrail/options.h>
#include <taffrail/sink.h>

#include "base/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::sinks::neptune {

struct Options {
    std::string log_dir;  ///< logs go to folders in it; empty: inside the run's own folder
    std::string project, name, id;
    std::vector<std::string> tags;
    std::string ranks = "zero";
    bool console = true, system_metrics = true;
    std::function<std::int64_t()> now_ns = wall_time_ns;
};

const OptionSchema<Options>& schema();

/// Fills what was not given. Fails for ids and projects that the tracker would not take.
Result<Options> completed(Options options, const SinkContext& context);

}  // namespace taffrail::sinks::neptune
