#include "sinks/wandb/artifacts.h"

#include "base/md5.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/escaped_names.h"
#include "codec/json_writer.h"
#include "codec/npy.h"
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

std::string tsv_of(const Table& table) {
    std::string text;
    const auto put = [&text](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += (i == 0 ? "" : "\t") + cells[i];
        }
        text += "\n";
    };
    put(table.columns);
    for (const std::vector<Cell>& row : table.rows) {
        std::vector<std::string> cells;
        for (const Cell& cell : row) {
            const auto* held = std::get_if<std::string>(&cell);
            std::string word = held != nullptr ? *held : json_of(cell);
            for (char& c : word) {
                c = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
            }
            cells.push_back(std::move(word));
        }
        put(cells);
    }
    return text;
}

Blob blob_of(Bytes bytes) {
    return make_blob(std::move(bytes));
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
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        if (!tensor->data.bytes || tensor->shape.elements() < 0 ||
            tensor->data.bytes->size() !=
                static_cast<std::size_t>(tensor->shape.elements()) * size_of(tensor->dtype)) {
            return Error{ErrorCode::InvalidArgument,
                         "the elements of '" + std::string(key) + "' do not fill its shape"};
        }
        made.type = "tensor";
        made.files = {
            {"tensor.npy", blob_of(encode_npy(*tensor->data.bytes, tensor->dtype, tensor->shape))}};
        return std::optional(std::move(made));
    }
    if (const auto* embedding = std::get_if<Embedding>(&value)) {
        const Shape shape{embedding->count, embedding->dimensions};
        if (!embedding->vectors.bytes || shape.elements() < 0 ||
            embedding->vectors.bytes->size() !=
                static_cast<std::size_t>(shape.elements()) * sizeof(float)) {
            return Error{ErrorCode::InvalidArgument,
                         "the vectors of '" + std::string(key) + "' do not fill its shape"};
        }
        made.type = "embedding";
        made.files = {
            {"vectors.npy", blob_of(encode_npy(*embedding->vectors.bytes, DType::F32, shape))}};
        if (!embedding->metadata.columns.empty()) {
            made.files.push_back({"metadata.tsv", blob_of(tsv_of(embedding->metadata))});
        }
        if (embedding->sprite.bytes) {
            made.files.push_back({"sprite.png", embedding->sprite});
        }
        return std::optional(std::move(made));
    }
    return std::optional<Artifact>();
}

}  // namespace taffrail::sinks::wandb
