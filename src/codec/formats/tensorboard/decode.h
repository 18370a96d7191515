// Summary values and other event contents, turned into Taffrail's own values.
#pragma once

#include <taffrail/record.h>
#include <taffrail/value.h>

#include "codec/formats/tensorboard/event.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::formats::tensorboard {

/// Makes the Blob for bytes inside the message: loaded, or a note of where they stand.
using BlobMaker = std::function<Blob(ByteSpan bytes)>;

/// A blob that owns a copy, named by its SHA-256.
Blob loaded_blob(ByteSpan bytes);

/// The kind every tensor of a plugin has; nothing where the tensor itself decides. Images may turn
/// out to be films.
std::optional<Kind> kind_of_plugin(std::string_view plugin) noexcept;

/// What kind a value is, from the plugin of its tag (the first metadata counts) and its own form.
/// Nothing when it shows nothing (a metadata-only value of an unknown plugin).
std::optional<Kind> classify(std::string_view plugin, const ValueView& value);

/// The value itself. Nothing when the bytes do not hold what they promise. Meshes are joined by the
/// caller: see mesh.h.
std::optional<Value> decode_value(Kind kind, std::string_view plugin,
                                  std::string_view plugin_content, const ValueView& value,
                                  const BlobMaker& blobs);

/// Event.graph_def.
std::optional<Graph> decode_graph(ByteSpan graph_def);

}  // namespace taffrail::formats::tensorboard
