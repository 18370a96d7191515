// Options of the `aim` sink.
#pragma once

#include <taffrail/options.h>
#include <taffrail/sink.h>

#include "base/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::sinks::aim {

struct Options {
    std::string log_dir;  ///< the repository is log_dir/.aim; empty: inside the run's own folder
    std::string experiment, name, hash;
    std::vector<std::string> tags;
    std::string ranks = "zero";
    bool console = true, system_metrics = true;
    std::function<std::int64_t()> now_ns = wall_time_ns;
};

const OptionSchema<Options>& schema();
/// Fills what was not given.
Result<Options> completed(Options options, const SinkContext& context);

}  // namespace taffrail::sinks::aim
