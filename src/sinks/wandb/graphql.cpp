#include "sinks/wandb/graphql.h"

#include <taffrail/version.h>

#include "base/md5.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/json_writer.h"
#include "io/files.h"

#include <cstdlib>

namespace taffrail::sinks::wandb {

const Operation kUpsertBucket = {
    "UpsertBucket",
    "mutation UpsertBucket($id: String, $name: String, $project: String, $entity: String, "
    "$groupName: String, $displayName: String, $notes: String, $config: JSONString, $host: String, "
    "$program: String, $jobType: String, $tags: [String!], $summaryMetrics: JSONString) { "
    "upsertBucket(input: {id: $id, name: $name, modelName: $project, entityName: $entity, "
    "groupName: $groupName, displayName: $displayName, notes: $notes, config: $config, host: "
    "$host, "
    "jobProgram: $program, jobType: $jobType, tags: $tags, summaryMetrics: $summaryMetrics}) { "
    "bucket { id name displayName historyLineCount project { name entity { name } } } inserted } "
    "}"};

const Operation kRunResumeStatus = {
    "RunResumeStatus",
    "query RunResumeStatus($project: String, $entity: String, $name: String!) { "
    "model(name: $project, entityName: $entity) { id name entity { id name } "
    "bucket(name: $name, missingOk: true) { id name historyLineCount eventsLineCount logLineCount "
    "config summaryMetrics } } }"};

const Operation kCreateRunFiles = {
    "CreateRunFiles",
    "mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, "
    "$files: [String!]!) { createRunFiles(input: {entityName: $entity, projectName: $project, "
    "runName: $run, files: $files}) { uploadHeaders files { name uploadUrl } } }"};

const Operation kNotifyAlert = {
    "NotifyScriptableRunAlert",
    "mutation NotifyScriptableRunAlert($entityName: String!, $projectName: String!, "
    "$runName: String!, $title: String!, $text: String!, $severity: AlertSeverity = INFO) { "
    "notifyScriptableRunAlert(input: {entityName: $entityName, projectName: $projectName, "
    "runName: $runName, title: $title, text: $text, severity: $severity}) { success } }"};

const Operation kCreateArtifact = {
    "CreateArtifact",
    "mutation CreateArtifact($input: CreateArtifactInput!) { createArtifact(input: $input) { "
    "artifact { id state } } }"};

const Operation kCreateArtifactManifest = {
    "CreateArtifactManifest",
    "mutation CreateArtifactManifest($artifactID: ID!, $name: String!, $digest: String!, "
    "$entityName: String!, $projectName: String!, $runName: String!, $includeUpload: Boolean!) { "
    "createArtifactManifest(input: {artifactID: $artifactID, name: $name, digest: $digest, "
    "entityName: $entityName, projectName: $projectName, runName: $runName}) { artifactManifest { "
    "id file { id uploadUrl @include(if: $includeUpload) uploadHeaders @include(if: "
    "$includeUpload) } } } }"};

const Operation kCreateArtifactFiles = {
    "CreateArtifactFiles",
    "mutation CreateArtifactFiles($input: CreateArtifactFilesInput!) { createArtifactFiles(input: "
    "$input) { files { edges { node { storagePath uploadUrl uploadHeaders artifact { id } } } } } "
    "}"};

const Operation kCommitArtifact = {
    "CommitArtifact",
    "mutation CommitArtifact($artifactID: ID!) { commitArtifact(input: {artifactID: $artifactID}) "
    "{ artifact { id digest } } }"};

namespace {

std::string basic_of(std::string_view key) {
    const std::string pair = "api:" + std::string(key);
    return "Basic " + to_base64({reinterpret_cast<const std::uint8_t*>(pair.data()), pair.size()});
}

std::string environment_text(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? text : "";
}

}  // namespace

GraphqlServer::GraphqlServer(std::shared_ptr<io::HttpTransport> transport, std::string base,
                             std::string key, io::HttpPolicy policy, io::HttpTime time)
    : client_(std::move(transport), policy, std::move(time)),
      base_(std::move(base)),
      authorization_(basic_of(key)) {}

Result<io::HttpResponse> GraphqlServer::post(const std::string& url, std::string_view body) {
    const io::HttpRequest request{.method = "POST",
                                  .url = url,
                                  .headers = {{"Authorization", authorization_},
                                              {"Content-Type", "application/json"},
                                              {"User-Agent", std::string("taffrail/") + version()}},
                                  .body = as_bytes(body)};
    TAFFRAIL_ASSIGN(io::HttpResponse answer, client_.send(request));
    if (answer.status == 401 || answer.status == 403) {
        return Error{ErrorCode::PermissionDenied,
                     "wandb: " + io::host_of(base_) +
                         " does not accept the key; look at WANDB_API_KEY or ~/.netrc"};
    }
    if (answer.status != 200) {
        return Error{answer.status == 404 ? ErrorCode::NotFound : ErrorCode::InvalidArgument,
                     "wandb: " + io::host_of(base_) + " answers with status " +
                         std::to_string(answer.status)};
    }
    return answer;
}

Result<Json> GraphqlServer::ask(const Operation& operation, std::string_view variables) {
    JsonWriter json;
    json.begin_object().member("operationName", operation.name);
    json.member("query", operation.document).key("variables").raw(variables).end_object();
    TAFFRAIL_ASSIGN(const io::HttpResponse answer, post(base_ + "/graphql", json.text()));
    TAFFRAIL_ASSIGN(const Json parsed, parse_json(answer.body));
    const Json* data = parsed.find("data");
    const Json* errors = parsed.find("errors");
    if (data == nullptr || data->is_null() ||
        (errors != nullptr && errors->array() != nullptr && !errors->array()->empty())) {
        std::string why = "no data";
        if (errors != nullptr && errors->array() != nullptr && !errors->array()->empty()) {
            why = errors->array()->front().string_or("message", "an error without a text");
        }
        return Error{ErrorCode::InvalidArgument,
                     "wandb: " + std::string(operation.name) + ": " + why};
    }
    return *data;
}

Result<void> GraphqlServer::stream(const std::string& entity, const std::string& project,
                                   const std::string& run, std::string_view body) {
    TAFFRAIL_TRY(post(base_ + "/files/" + io::url_escape(entity) + "/" + io::url_escape(project) +
                          "/" + io::url_escape(run) + "/file_stream",
                      body));
    return {};
}

Result<void> GraphqlServer::put(const std::string& url, const io::HttpHeaders& headers,
                                ByteSpan bytes) {
    io::HttpRequest request{.method = "PUT",
                            .url = url,
                            .headers = headers,
                            .body = bytes,
                            .timeout = std::chrono::minutes(10)};
    // Said by those who want another; the library would call it a form.
    request.headers.emplace_back("Content-Type", "application/octet-stream");
    TAFFRAIL_ASSIGN(const io::HttpResponse answer, client_.send(request));
    if (answer.status < 200 || answer.status > 299) {
        return Error{ErrorCode::Unavailable, "wandb: an upload to " + io::host_of(url) +
                                                 " was answered with status " +
                                                 std::to_string(answer.status)};
    }
    return {};
}

std::string find_key(const std::string& base) {
    if (std::string key = environment_text("WANDB_API_KEY"); !key.empty()) {
        return key;
    }
    std::string path = environment_text("NETRC");
    path = path.empty() ? io::join(environment_text("HOME"), ".netrc") : path;
    const auto text = io::read_text(path);
    if (!text.ok()) {
        return {};
    }
    std::string host = io::host_of(base);
    host = host.substr(host.find("://") + 3);
    std::vector<std::string_view> words;
    for (const std::string_view line : split(*text, '\n')) {
        for (const std::string_view word : split(line, ' ')) {
            if (!trim(word).empty()) {
                words.push_back(trim(word));
            }
        }
    }
    bool is_ours = false;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == "machine") {
            is_ours = words[i + 1] == host || words[i + 1] == host.substr(0, host.find(':'));
        } else if (words[i] == "password" && is_ours) {
            return std::string(words[i + 1]);
        }
    }
    return {};
}

std::string find_base() {
    std::string base = environment_text("WANDB_BASE_URL");
    if (base.empty()) {
        base = "https://api.wandb.ai";
    }
    while (base.ends_with('/')) {
        base.pop_back();
    }
    return base;
}

}  // namespace taffrail::sinks::wandb
