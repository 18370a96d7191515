#include "sinks/wandb/artifacts.h"

#include "base/md5.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/escaped_names.h"
#include "codec/json_writer.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "sinks/wandb/config_items.h"

#include <filesystem>

namespace taffrail::sinks::wandb {
namespace {

/// What the tracker takes as the name of an artifact: letters, digits, '-', '_', '.', 128 at most.
std::string artifact_name(std::string_view name) {
    constexpr std::size_t kLongest = 128;
    std::string safe;
    bool is_changed = name.size() > kLongest || name.empty();
    for (const char c : name.substr(0, kLongest)) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        safe += is_plain ? c : '_';
        is_changed = is_changed || !is_plain;
    }
    if (!is_changed) {
        return safe;
    }
    // Two names never become one.
    safe.resize(std::min(safe.size(), kLongest - 9));
    return safe + "-" + to_hex(sha256(as_bytes(name))).substr(0, 8);
}

/// 128 letters that the same artifact gets again.
std::string id_of(std::string_view what, const ArtifactPlace& place, const Artifact& artifact,
                  std::string_view digest) {
    const std::string seed = std::string(what) + '\0' + place.project + '\0' + place.run_id + '\0' +
                             artifact.name + '\0' + std::string(digest);
    const std::string half = to_hex(sha256(as_bytes(seed)));
    return half + to_hex(sha256(as_bytes(half)));
}

std::string metadata_json(const Hparams& metadata) {
    if (metadata.empty()) {
        return {};
    }
    JsonWriter json;
    json.begin_object();
    for (const auto& [name, cell] : metadata) {
        json.member(name, cell);
    }
    json.end_object();
    return std::move(json).take();
}

Blob blob_of(std::string_view text) {
    const ByteSpan bytes = as_bytes(text);
    return make_blob(Bytes(bytes.begin(), bytes.end()));
}

}  // namespace

Result<formats::wandb::ArtifactDescription> store_artifact(const Artifact& artifact,
                                                           const ArtifactPlace& place) {
    formats::wandb::ArtifactDescription described;
    described.run_id = place.run_id;
    described.project = place.project;
    described.entity = place.entity;
    described.name = artifact_name(artifact.name);
    described.type = artifact.type.empty() ? "unspecified" : artifact.type;
    described.metadata_json = metadata_json(artifact.metadata);
    described.aliases = {"latest"};
    std::error_code failed;
    const std::string folder = std::filesystem::absolute(place.folder, failed).string();
    for (const ArtifactFile& file : artifact.files) {
        if (!file.data.bytes) {
            return Error{ErrorCode::Internal, "the bytes of '" + file.path + "' of artifact '" +
                                                  artifact.name + "' were not loaded for wandb"};
        }
        const ByteSpan bytes = *file.data.bytes;
        const std::string digest = to_base64(md5(bytes));
        const std::string safe = path_of_key(file.path);
        // Names and versions may be a stranger's, as paths are: none leads out of the folder.
        const std::string version =
            artifact.version.empty() ? "v" : artifact_name(artifact.version);
        const std::string url =
            io::join(folder, path_of_key(described.name) + "/" + version + "-" +
                                 to_hex(sha256(bytes)).substr(0, 8) + "/" + safe);
        TAFFRAIL_TRY(io::make_directories(io::parent(url)));
        TAFFRAIL_TRY(io::write_file_atomically(url, bytes, false));
        described.files.push_back({safe, digest, url, bytes.size()});
    }
    described.digest = to_hex(md5(as_bytes(formats::wandb::manifest_text(described.files))));
    described.client_id = id_of("version", place, artifact, described.digest);
    described.sequence_id = id_of("sequence", place, artifact, {});
    return described;
}

Artifact table_artifact(std::string_view run_id, std::string_view key, std::string_view json) {
    std::string name = path_of_key(key);
    return {.name = "run-" + std::string(run_id) + "-" + std::string(key),
            .type = "run_table",
            .files = {{name + ".table.json", blob_of(json)}}};
}

Result<std::optional<Artifact>> artifact_of(std::string_view key, Step step, const Value& value) {
    Artifact made{.name = std::string(key), .version = "step-" + std::to_string(step)};
    made.metadata = {{"key", std::string(key)}, {"step", step}};
    if (!std::holds_alternative<Tensor>(value) && !std::holds_alternative<Embedding>(value)) {
        return std::optional<Artifact>();
    }
    made.type = to_string(kind_of(value));
    auto files = files_of(value);
    if (!files.ok()) {
        return Error{files.error().code, "'" + made.name + "': " + files.error().message};
    }
    for (ValueFile& file : *files) {
        made.files.push_back({std::move(file.name), make_blob(std::move(file.bytes))});
    }
    return std::optional(std::move(made));
}

}  // namespace taffrail::sinks::wandb
