// Options of the `mlflow` sink, and what the variables of the official client add to them.
#pragma once

#include <taffrail/options.h>
#include <taffrail/sink.h>

#include "io/http_client.h"

#include <string>
#include <vector>

namespace taffrail::sinks::mlflow {

struct Options {
    std::string tracking_uri, experiment, run_name, run_id, parent_run_id;
    std::vector<std::string> tags;
    std::string ranks = "zero";
    bool console = true, system_metrics = true;
    io::HttpPolicy policy = {};
    io::HttpTime time = {};
};

const OptionSchema<Options>& schema();

/// Fills what was not given: from MLFLOW_TRACKING_URI and its kin, then from what the run says of
/// itself. Fails for an address that is not that of a server.
Result<Options> completed(Options options, const SinkContext& context);

/// What proves who we are, from MLFLOW_TRACKING_USERNAME, _PASSWORD and _TOKEN. Never kept.
io::HttpHeaders authorization();
/// MLFLOW_TRACKING_INSECURE_TLS, _SERVER_CERT_PATH, _CLIENT_CERT_PATH.
io::HttpTrust trust();

}  // namespace taffrail::sinks::mlflow
