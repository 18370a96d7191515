#include "sinks/mlflow/options.h"

#include "base/bytes.h"
#include "base/md5.h"
#include "base/strings.h"
#include "base/try.h"
#include "trackers/ranks.h"
#include "trackers/tracker_options.h"

namespace taffrail::sinks::mlflow {
namespace {

bool is_true(std::string_view text) {
    const std::string word = to_lower(text);
    return word == "true" || word == "1";
}

/// Only a server takes runs over the network; what stands in files gets one.
Result<void> check_uri(const std::string& uri) {
    if (uri.starts_with("http://") || uri.starts_with("https://")) {
        return {};
    }
    const std::string backend = uri.empty() ? "sqlite:///mlflow.db" : uri;
    const bool is_files = uri.starts_with("file:") || uri.find(':') == std::string::npos;
    return Error{ErrorCode::InvalidArgument,
                 (uri.empty() ? "mlflow: no tracking server is named"
                              : "mlflow: runs are sent to a tracking server, not written into '" +
                                    uri + "'") +
                     "; start one with `" +
                     (is_files && !uri.empty() ? "MLFLOW_ALLOW_FILE_STORE=true " : "") +
                     "mlflow server --backend-store-uri " + backend +
                     " --port 5000` and set tracking_uri (or MLFLOW_TRACKING_URI) to "
                     "http://127.0.0.1:5000"};
}

}  // namespace

const OptionSchema<Options>& schema() {
    static const auto all =
        OptionSchema<Options>("mlflow")
            .add("tracking_uri", &Options::tracking_uri,
                 "the server, http://HOST:PORT with or without a path; MLFLOW_TRACKING_URI where "
                 "none is given",
                 {.other_names = {"uri"}})
            .add("experiment_name", &Options::experiment,
                 "the experiment there, made where it is missing; the project of the run where "
                 "none is given",
                 {.other_names = {"experiment", "project"}})
            .add("run_name", &Options::run_name, "the name there; that of the run where none is",
                 {.other_names = {"name"}})
            .add("run_id", &Options::run_id, "a run there that is taken up again",
                 {.other_names = {"id"}})
            .add("parent_run_id", &Options::parent_run_id, "the run there that this one is part of")
            .add("tags", &Options::tags, "tags beside those of the run, NAME=VALUE or NAME")
            .add("ranks", &Options::ranks, trackers::kRanksHelp, {.check = trackers::check_ranks})
            .add("console", &Options::console, "whether captured output goes there, as a file")
            .add("system_metrics", &Options::system_metrics,
                 "whether the load of the machine goes there");
    return all;
}

Result<Options> completed(Options options, const SinkContext& context) {
    trackers::fill(options.tracking_uri, "MLFLOW_TRACKING_URI");
    trackers::fill(options.experiment, "MLFLOW_EXPERIMENT_NAME", context.project);
    trackers::fill(options.run_name, "MLFLOW_RUN_NAME", context.run_name);
    trackers::fill(options.run_id, "MLFLOW_RUN_ID");
    if (options.experiment.empty()) {
        options.experiment = "Default";
    }
    TAFFRAIL_TRY(check_uri(options.tracking_uri));
    while (options.tracking_uri.ends_with('/')) {
        options.tracking_uri.pop_back();
    }
    return options;
}

io::HttpHeaders authorization() {
    const std::string user = trackers::variable("MLFLOW_TRACKING_USERNAME");
    const std::string password = trackers::variable("MLFLOW_TRACKING_PASSWORD");
    if (!user.empty()) {
        const std::string pair = user + ":" + password;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
        return {{"Authorization", "Basic " + to_base64({bytes, pair.size()})}};
    }
    const std::string token = trackers::variable("MLFLOW_TRACKING_TOKEN");
    return token.empty() ? io::HttpHeaders()
                         : io::HttpHeaders{{"Authorization", "Bearer " + token}};
}

io::HttpTrust trust() {
    return {.ca_file = trackers::variable("MLFLOW_TRACKING_SERVER_CERT_PATH"),
            .client_file = trackers::variable("MLFLOW_TRACKING_CLIENT_CERT_PATH"),
            .is_checked = !is_true(trackers::variable("MLFLOW_TRACKING_INSECURE_TLS"))};
}

}  // namespace taffrail::sinks::mlflow
