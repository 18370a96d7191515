// From a place in an event file to the value that stands there.
#pragma once

#include <taffrail/reader.h>

#include "sources/tensorboard/run_part.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

// Keys for what event files keep without a tag.
inline constexpr std::string_view kGraphKey = "graph";
inline constexpr std::string_view kHparamsKey = "hparams";
inline constexpr std::string_view kProjectorConfig = "projector_config.pbtxt";

/// One decoded tag's worth of places.
struct Listed {
    Kind kind = Kind::Tensor;
    std::string plugin, content;
    std::vector<Place> places;
};

/// Step, time and origin of a place, without a value.
Entry entry_at(const Place& place);

/// Decodes the message that was read from `place`. Blobs are not loaded: their refs name places.
std::optional<Value> decode_at(const Listed& listed, const Place& place, ByteSpan message);

}  // namespace taffrail::sources::tensorboard
