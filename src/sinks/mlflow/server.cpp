#include "sinks/mlflow/server.h"

#include <taffrail/version.h>

#include "base/strings.h"
#include "base/try.h"
#include "codec/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffrail::sinks::mlflow {
namespace {

constexpr std::string_view kCalls = "/api/2.0/mlflow/";
constexpr std::size_t kLongestMessage = 400;

void put_pairs(JsonWriter& json, std::string_view name,
               std::span<const std::pair<std::string, std::string>> pairs) {
    json.key(name).begin_array();
    for (const auto& [key, value] : pairs) {
        json.begin_object().member("key", key).member("value", value).end_object();
    }
    json.end_array();
}

template <typename Number>
char* put_number(char* to, Number number) {
    return std::to_chars(to, to + 32, number).ptr;
}

char* put_text(char* to, std::string_view text) {
    return std::copy(text.begin(), text.end(), to);
}

void put_value(std::string& to, const Metric& metric) {
    char text[40];
    char* end = text;
    if (std::isfinite(metric.value)) {
        end = put_number(end, metric.value);
    } else {
        end = put_text(end, std::isnan(metric.value) ? R"("NaN")"
                            : metric.value > 0       ? R"("Infinity")"
                                                     : R"("-Infinity")");
    }
    to.append(text, end);
}

/// All of an entry behind its value. The metrics of a row have it in common.
void make_tail(std::string& to, const Metric& metric) {
    char text[120];
    char* end = put_text(text, R"(,"timestamp":)");
    end = put_number(end, std::max<std::int64_t>(metric.time_ms, 0));
    end = put_text(end, R"(,"step":)");
    end = put_number(end, metric.step);
    end = put_text(end, "},");
    to.assign(text, end);
}

RunThere run_of(const Json* run) {
    const Json* info = run != nullptr ? run->find("info") : nullptr;
    if (info == nullptr) {
        return {};
    }
    return {info->string_or("run_id", info->string_or("run_uuid", "")),
            info->string_or("experiment_id", ""), info->string_or("artifact_uri", "")};
}

}  // namespace

TrackingServer::TrackingServer(std::shared_ptr<io::HttpTransport> transport, std::string base,
                               io::HttpHeaders headers, io::HttpPolicy policy, io::HttpTime time)
    : client_(std::move(transport), policy, std::move(time)),
      base_(std::move(base)),
      headers_(std::move(headers)) {
    headers_.emplace_back("User-Agent", std::string("taffrail/") + version());
}

Result<Json> TrackingServer::answer_of(Result<io::HttpResponse> answer) const {
    if (!answer.ok()) {
        return Error{answer.error().code, "mlflow: " + answer.error().message};
    }
    if (answer->status == 200) {
        return answer->body.empty() ? Json(Json::Object{}) : parse_json(answer->body);
    }
    const auto body = parse_json(answer->body);
    std::string message = body.ok() ? body->string_or("message", "") : answer->body;
    message = std::string(trim(std::string_view(message).substr(0, kLongestMessage)));
    const std::string code = body.ok() ? body->string_or("error_code", "") : std::string();
    std::string text = "mlflow: " + io::host_of(base_) + " answers " +
                       std::to_string(answer->status) + (code.empty() ? "" : " " + code) +
                       (message.empty() ? "" : ": " + message);
    if (answer->status == 401) {
        return Error{ErrorCode::PermissionDenied,
                     text +
                         "; set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or "
                         "MLFLOW_TRACKING_TOKEN"};
    }
    if (answer->status == 403) {
        return Error{ErrorCode::PermissionDenied,
                     message.find("Host") != std::string::npos
                         ? text + "; start the server with --allowed-hosts"
                         : text};
    }
    return Error{code == "RESOURCE_ALREADY_EXISTS" ? ErrorCode::AlreadyExists
                 : answer->status == 404           ? ErrorCode::NotFound
                                                   : ErrorCode::InvalidArgument,
                 text};
}

Result<Json> TrackingServer::post(std::string_view call, std::string_view body,
                                  bool is_repeatable) {
    io::HttpRequest request{.method = "POST",
                            .url = base_ + std::string(kCalls) + std::string(call),
                            .headers = headers_,
                            .body = as_bytes(body),
                            .is_repeatable = is_repeatable};
    request.headers.emplace_back("Content-Type", "application/json");
    return answer_of(client_.send(request));
}

Result<Json> TrackingServer::get(std::string_view call_and_query) {
    return answer_of(client_.send(
        {.url = base_ + std::string(kCalls) + std::string(call_and_query), .headers = headers_}));
}

Result<std::string> TrackingServer::experiment(const std::string& name) {
    const std::string query = "experiments/get-by-name?experiment_name=" + io::url_escape(name);
    for (int attempt = 0;; ++attempt) {
        auto found = get(query);
        if (found.ok()) {
            const Json* experiment = found->find("experiment");
            const std::string id =
                experiment != nullptr ? experiment->string_or("experiment_id", "") : "";
            if (id.empty()) {
                return Error{
                    ErrorCode::Unsupported,
                    "mlflow: " + io::host_of(base_) + " does not answer as a tracking server does"};
            }
            if (experiment->string_or("lifecycle_stage", "active") == "deleted") {
                return Error{
                    ErrorCode::InvalidArgument,
                    "mlflow: the experiment '" + name +
                        "' was deleted there; restore it (`mlflow experiments restore -x " + id +
                        "`) or name another"};
            }
            return id;
        }
        if (found.error().code != ErrorCode::NotFound || attempt > 0) {
            return found.error();
        }
        JsonWriter json;
        json.begin_object().member("name", name).end_object();
        auto made = post("experiments/create", json.text());
        if (made.ok()) {
            return made->string_or("experiment_id", "");
        }
        // Somebody else made it in between.
        if (made.error().code != ErrorCode::AlreadyExists) {
            return made.error();
        }
    }
}

Result<std::optional<RunThere>> TrackingServer::find_run(const std::string& experiment_id,
                                                         std::string_view tag,
                                                         const std::string& value) {
    JsonWriter json;
    json.begin_object().key("experiment_ids").begin_array().value(experiment_id).end_array();
    std::string quoted = value;
    std::erase(quoted, '\'');
    json.member("filter", "tags.`" + std::string(tag) + "` = '" + quoted + "'");
    json.member("max_results", 1).end_object();
    TAFFRAIL_ASSIGN(const Json answer, post("runs/search", json.text()));
    const Json* runs = answer.find("runs");
    if (runs == nullptr || runs->array() == nullptr || runs->array()->empty()) {
        return std::optional<RunThere>();
    }
    return std::optional(run_of(&runs->array()->front()));
}

Result<RunThere> TrackingServer::create_run(const std::string& experiment_id,
                                            const std::string& name, const std::string& user,
                                            std::int64_t start_ms, const Pairs& tags) {
    JsonWriter json;
    json.begin_object().member("experiment_id", experiment_id).member("user_id", user);
    json.member("run_name", name).member("start_time", std::max<std::int64_t>(start_ms, 0));
    put_pairs(json, "tags", tags);
    json.end_object();
    // Not repeated blindly: twice would be two runs. Who comes again looks for the first.
    TAFFRAIL_ASSIGN(const Json answer, post("runs/create", json.text(), false));
    return run_of(answer.find("run"));
}

Result<RunThere> TrackingServer::run(const std::string& id) {
    TAFFRAIL_ASSIGN(const Json answer, get("runs/get?run_id=" + io::url_escape(id)));
    return run_of(answer.find("run"));
}

Result<void> TrackingServer::set_status(const std::string& id, std::string_view status,
                                        std::optional<std::int64_t> end_ms) {
    JsonWriter json;
    json.begin_object().member("run_id", id).member("run_uuid", id).member("status", status);
    if (end_ms) {
        json.member("end_time", std::max<std::int64_t>(*end_ms, 0));
    }
    json.end_object();
    TAFFRAIL_TRY(post("runs/update", json.text()));
    return {};
}

const std::string& TrackingServer::head_of(std::string_view name) {
    if (const std::string* known = head_by_name_.find(name); known != nullptr) {
        return *known;
    }
    std::string head = R"({"key":)";
    append_json_string(head, name);
    return head_by_name_.add(name, heads_.emplace_back(head + R"(,"value":)"));
}

Result<void> TrackingServer::log_metrics(const std::string& id, std::span<const Metric> metrics) {
    while (!metrics.empty()) {
        const auto part = metrics.first(std::min(metrics.size(), kMostMetrics));
        body_ = R"({"run_id":)";
        append_json_string(body_, id);
        body_ += R"(,"metrics":[)";
        const Metric* before = nullptr;
        for (const Metric& metric : part) {
            body_ += head_of(metric.name);
            put_value(body_, metric);
            if (before == nullptr || before->time_ms != metric.time_ms ||
                before->step != metric.step) {
                make_tail(tail_, metric);
            }
            body_ += tail_;
            before = &metric;
        }
        body_.back() = ']';
        body_ += '}';
        TAFFRAIL_TRY(post("runs/log-batch", body_));
        metrics = metrics.subspan(part.size());
    }
    return {};
}

Result<void> TrackingServer::log_pairs(const std::string& id,
                                       std::span<const std::pair<std::string, std::string>> params,
                                       std::span<const std::pair<std::string, std::string>> tags) {
    JsonWriter json;
    json.begin_object().member("run_id", id);
    put_pairs(json, "params", params);
    put_pairs(json, "tags", tags);
    json.end_object();
    TAFFRAIL_TRY(post("runs/log-batch", json.text()));
    return {};
}

Result<void> TrackingServer::delete_tag(const std::string& id, const std::string& name) {
    JsonWriter json;
    json.begin_object().member("run_id", id).member("key", name).end_object();
    const auto done = post("runs/delete-tag", json.text());
    // Gone is gone.
    if (!done.ok() && done.error().code != ErrorCode::NotFound) {
        return done.error();
    }
    return {};
}

Result<void> TrackingServer::put_artifact(std::string_view path, ByteSpan bytes,
                                          const std::string& mime) {
    io::HttpRequest request{
        .method = "PUT",
        .url = base_ + "/api/2.0/mlflow-artifacts/artifacts/" + io::url_escape(path, "/"),
        .headers = headers_,
        .body = bytes,
        .timeout = std::chrono::minutes(10)};
    request.headers.emplace_back("Content-Type", mime.empty() ? "application/octet-stream" : mime);
    auto answer = client_.send(request);
    if (answer.ok() && answer->status == 200) {
        return {};
    }
    TAFFRAIL_TRY(answer_of(std::move(answer)));
    return {};
}

}  // namespace taffrail::sinks::mlflow
