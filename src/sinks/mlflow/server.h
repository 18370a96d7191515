// The calls of a tracking server that a run needs (REST 2.0). Every type is checked here: a wrong
// one is answered with 200 and silently cuts the request there.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "base/key_order.h"
#include "codec/json.h"
#include "io/http_client.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::sinks::mlflow {

struct RunThere {
    std::string id, experiment_id, artifact_uri;
};

struct Metric {
    std::string_view name;
    double value = 0;
    std::int64_t time_ms = 0, step = 0;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What one batch may hold.
inline constexpr std::size_t kMostMetrics = 1000, kMostPairs = 100;

class TrackingServer {
  public:
    /// `base` is the tracking URI without a slash at its end.
    TrackingServer(std::shared_ptr<io::HttpTransport> transport, std::string base,
                   io::HttpHeaders headers, io::HttpPolicy policy = {}, io::HttpTime time = {});

    /// The id of the experiment of that name, made where there is none.
    Result<std::string> experiment(const std::string& name);
    /// The newest run of the experiment with this tag.
    Result<std::optional<RunThere>> find_run(const std::string& experiment_id, std::string_view tag,
                                             const std::string& value);
    Result<RunThere> create_run(const std::string& experiment_id, const std::string& name,
                                const std::string& user, std::int64_t start_ms, const Pairs& tags);
    Result<RunThere> run(const std::string& id);
    /// RUNNING, FINISHED, FAILED or KILLED.
    Result<void> set_status(const std::string& id, std::string_view status,
                            std::optional<std::int64_t> end_ms);

    /// In batches as large as the server takes.
    Result<void> log_metrics(const std::string& id, std::span<const Metric> metrics);
    /// At most kMostPairs of each.
    Result<void> log_pairs(const std::string& id,
                           std::span<const std::pair<std::string, std::string>> params,
                           std::span<const std::pair<std::string, std::string>> tags);
    Result<void> delete_tag(const std::string& id, const std::string& name);
    /// `path` is that of the artifact store, unescaped.
    Result<void> put_artifact(std::string_view path, ByteSpan bytes, const std::string& mime);

    io::HttpClient& client() noexcept { return client_; }

  private:
    Result<Json> post(std::string_view call, std::string_view body, bool is_repeatable = true);
    Result<Json> get(std::string_view call_and_query);
    Result<Json> answer_of(Result<io::HttpResponse> answer) const;
    const std::string& head_of(std::string_view name);

    io::HttpClient client_;
    std::string base_;
    io::HttpHeaders headers_;
    std::string body_, tail_;
    std::deque<std::string> heads_;  ///< names of metrics as they open an entry
    KeyOrder<const std::string> head_by_name_;
};

}  // namespace taffrail::sinks::mlflow
