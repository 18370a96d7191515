// Artifacts of a run folder: their files beside the log, so that a copied folder has them, and the
// record that tells of them.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/formats/wandb/encode.h"

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::sinks::wandb {

struct ArtifactPlace {
    std::string folder;  ///< artifacts/ of the run folder; its absolute path stands in the record
    std::string run_id, project, entity;
};

/// Writes the files and describes them. What `version` says tells artifacts of one name apart.
Result<formats::wandb::ArtifactDescription> store_artifact(const Artifact& artifact,
                                                           const ArtifactPlace& place);

/// A table as the artifact that the official program makes of it.
Artifact table_artifact(std::string_view run_id, std::string_view key, std::string_view json);

/// Kinds without a place in a row (tensors, embeddings) as files of an artifact. Nothing for
/// others.
Result<std::optional<Artifact>> artifact_of(std::string_view key, Step step, const Value& value);

}  // namespace taffrail::sinks::wandb
