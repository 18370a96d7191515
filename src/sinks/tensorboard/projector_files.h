// Embeddings for the projector: files in the run folder and the configuration that lists them.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include <string>
#include <string_view>

namespace taffrail::sinks::tensorboard {

/// Writes tensors, labels and sprite of `embedding` below `run_folder` and adds them to
/// projector_config.pbtxt there. Blobs must be loaded. Everything stays inside the folder:
/// TensorBoard refuses paths that leave it.
Result<void> write_embedding(const std::string& run_folder, std::string_view tag, Step step,
                             const Embedding& embedding);

}  // namespace taffrail::sinks::tensorboard
