// Options of the `wandb` sink, and what the variables of the official program add to them.
#pragma once

#include <taffrail/options.h>
#include <taffrail/sink.h>

#include "base/clock.h"
#include "io/http_client.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::sinks::wandb {

struct Options {
    std::string log_dir;  ///< run folders go to log_dir/wandb; empty: inside the run's own folder
    std::string project, entity, name, id, group, job_type, notes;
    std::vector<std::string> tags;
    std::string ranks = "zero";
    std::string mode;  ///< online, offline or disabled; empty: online where there is a key
    bool console = true, system_metrics = true;
    std::function<std::int64_t()> now_ns = wall_time_ns;  ///< for the names of folders
    std::shared_ptr<io::HttpTransport> transport = {};    ///< for tests; else libcurl
    io::HttpPolicy policy = {};
    io::HttpTime time = {};
};

const OptionSchema<Options>& schema();
Result<Options> parse_options(const OptionMap& given);
/// "online", "offline" or "disabled": as asked for, by WANDB_MODE, or by whether there is a key.
std::string mode_of(const Options& options);

/// Fills what was not given: from WANDB_PROJECT and its kin, then from what the run says of itself.
/// Fails for an id that the tracker would not take.
Result<Options> completed(Options options, const SinkContext& context);

}  // namespace taffrail::sinks::wandb
