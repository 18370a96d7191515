// Artifacts: described, their files uploaded, then their manifest, then made final.
#include "base/md5.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "io/inside.h"
#include "sinks/wandb/uploader.h"

namespace taffrail::sinks::wandb {

using namespace formats::wandb;

namespace {

constexpr std::size_t kMostArtifactFiles = 100'000;
constexpr std::uint64_t kLargestArtifactFile = std::uint64_t{4} << 30;

std::string manifest_json(const ArtifactView& artifact) {
    JsonWriter json;
    json.begin_object().member("version", 1).member("storagePolicy", "wandb-storage-policy-v1");
    json.key("storagePolicyConfig").begin_object().member("storageLayout", "V2").end_object();
    json.key("contents").begin_object();
    for (const ManifestEntryView& file : artifact.files) {
        json.key(file.path).begin_object().member("digest", file.digest);
        json.member("size", file.size).end_object();
    }
    json.end_object().end_object();
    return std::move(json).take();
}

/// "id" of data.<call>.<what>.
std::string id_in(const Json& data, std::string_view call, std::string_view what) {
    const Json* made = data.find(call);
    const Json* inner = made != nullptr ? made->find(what) : nullptr;
    return inner != nullptr ? inner->string_or("id", "") : "";
}

}  // namespace

io::HttpHeaders headers_in(const Json* list) {
    io::HttpHeaders headers;
    for (const Json& one :
         list != nullptr && list->array() != nullptr ? *list->array() : Json::Array()) {
        const std::string* text = one.string();
        const std::size_t colon = text != nullptr ? text->find(':') : std::string::npos;
        if (colon != std::string::npos) {
            headers.emplace_back(text->substr(0, colon),
                                 trim(std::string_view(*text).substr(colon + 1)));
        }
    }
    return headers;
}

Result<void> Uploader::send_artifacts() {
    for (; artifacts_sent_ < artifacts_.size(); ++artifacts_sent_) {
        TAFFRAIL_TRY(send_artifact(artifacts_[static_cast<std::size_t>(artifacts_sent_)]));
    }
    return {};
}

Result<void> Uploader::send_artifact(ByteSpan body) {
    const ArtifactView artifact = parse_artifact(body, kMostArtifactFiles);
    JsonWriter input;
    input.begin_object().key("input").begin_object();
    input.member("artifactTypeName", artifact.type).member("artifactCollectionName", artifact.name);
    input.member("runName", run_id_).member("projectName", open_project_);
    input.member("entityName", open_entity_).member("digest", text_field(body, 6));
    input.member("digestAlgorithm", "MANIFEST_MD5").member("enableDigestDeduplication", true);
    input.member("clientID", text_field(body, 15)).member("sequenceClientID", text_field(body, 16));
    if (!artifact.metadata_json.empty()) {
        input.member("metadata", artifact.metadata_json);
    }
    input.key("aliases").begin_array();
    for (const std::string_view alias : artifact.aliases) {
        input.begin_object().member("artifactCollectionName", artifact.name);
        input.member("alias", alias).end_object();
    }
    input.end_array().end_object().end_object();
    TAFFRAIL_ASSIGN(const Json made, server_->ask(kCreateArtifact, input.text()));
    const std::string id = id_in(made, "createArtifact", "artifact");
    const Json* state = made.find("createArtifact")->find("artifact")->find("state");
    if (id.empty() ||
        (state != nullptr && state->string() != nullptr && *state->string() == "COMMITTED")) {
        return {};  // it has this one
    }
    const std::string manifest = manifest_json(artifact);
    const auto ask_manifest = [&](bool is_whole) {
        const auto sum = md5(as_bytes(manifest));
        JsonWriter json;
        json.begin_object().member("artifactID", id).member("name", "wandb_manifest.json");
        json.member("digest", is_whole ? to_base64(sum) : "");
        json.member("entityName", open_entity_).member("projectName", open_project_);
        json.member("runName", run_id_).member("includeUpload", is_whole).end_object();
        return server_->ask(kCreateArtifactManifest, json.text());
    };
    TAFFRAIL_ASSIGN(const Json begun, ask_manifest(false));
    const std::string manifest_id = id_in(begun, "createArtifactManifest", "artifactManifest");
    for (const ManifestEntryView& file : artifact.files) {
        const auto bytes = io::read_inside(folder_, file.local_path, kLargestArtifactFile);
        if (!bytes.ok()) {
            continue;  // it stays without that file, as it does for the official program
        }
        JsonWriter json;
        json.begin_object().key("input").begin_object().key("artifactFiles").begin_array();
        json.begin_object().member("artifactID", id).member("artifactManifestID", manifest_id);
        json.member("name", file.path).member("md5", file.digest).end_object();
        json.end_array().member("storageLayout", "V2").end_object().end_object();
        TAFFRAIL_ASSIGN(const Json data, server_->ask(kCreateArtifactFiles, json.text()));
        const Json* place = data.find("createArtifactFiles");
        for (const std::string_view member : {"files", "edges"}) {
            place = place != nullptr ? place->find(member) : nullptr;
        }
        if (place == nullptr || place->array() == nullptr || place->array()->empty()) {
            return Error{ErrorCode::Unavailable, "wandb: the server gave no place for a file of '" +
                                                     std::string(artifact.name) + "'"};
        }
        const Json* node = place->array()->front().find("node");
        const std::string url = node != nullptr ? node->string_or("uploadUrl", "") : "";
        if (!url.empty()) {  // else it has these bytes
            TAFFRAIL_TRY(server_->put(url, headers_in(node->find("uploadHeaders")), *bytes));
        }
    }
    TAFFRAIL_ASSIGN(const Json whole, ask_manifest(true));
    const Json* place = whole.find("createArtifactManifest");
    for (const std::string_view member : {"artifactManifest", "file"}) {
        place = place != nullptr ? place->find(member) : nullptr;
    }
    const std::string url = place != nullptr ? place->string_or("uploadUrl", "") : "";
    if (!url.empty()) {
        TAFFRAIL_TRY(
            server_->put(url, headers_in(place->find("uploadHeaders")), as_bytes(manifest)));
    }
    JsonWriter commit;
    commit.begin_object().member("artifactID", id).end_object();
    TAFFRAIL_TRY(server_->ask(kCommitArtifact, commit.text()));
    return {};
}

}  // namespace taffrail::sinks::wandb
