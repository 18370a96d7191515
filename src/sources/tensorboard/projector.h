// Embeddings: files beside the event files, listed in a text-format configuration.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::sources::tensorboard {

struct ProjectorEmbedding {
    std::string folder;  ///< of the configuration; paths below are relative to it
    std::string tensor_name, tensor_path, metadata_path, sprite_path;
    std::vector<std::int64_t> tensor_shape, sprite_size;

    /// The tensor name without the step that writers append ("default:00007").
    [[nodiscard]] std::string key() const;
    [[nodiscard]] Step step() const;
};

std::vector<ProjectorEmbedding> parse_projector_config(std::string_view text,
                                                       const std::string& folder);
std::vector<ProjectorEmbedding> read_projector_config(const std::string& path);

/// Reads vectors, labels and sprite. Nothing when the tensor file is missing or no table of
/// numbers.
std::optional<Embedding> read_embedding(const ProjectorEmbedding& from);

}  // namespace taffrail::sources::tensorboard
