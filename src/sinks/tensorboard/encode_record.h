// From logged values to what an event file holds.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/formats/tensorboard/encode.h"

#include <string_view>
#include <vector>

namespace taffrail::sinks::tensorboard {

using namespace formats::tensorboard;

/// Kinds that event files (or files beside them) have a place for.
bool has_place(Kind kind) noexcept;

/// The summary values of one logged value. Blobs must be loaded. Graphs, hyperparameters and
/// embeddings are no summary values: the caller writes those. An error names what is missing.
Result<std::vector<EncodedValue>> encode_logged(std::string_view tag, const Value& value);

}  // namespace taffrail::sinks::tensorboard
