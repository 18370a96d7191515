// The mesh plugin: vertices, faces and colours of one mesh stand under three tags that share a
// step.
#pragma once

#include "base/bytes.h"
#include "codec/formats/tensorboard/names.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::formats::tensorboard {

/// MeshPluginData of one tag.
struct MeshPart {
    std::string name;  ///< the tag the caller gave
    MeshContent content = MeshContent::Vertex;
    std::string json_config;
    std::uint32_t components = 0;  ///< bit 1 << content for each part there is
};

std::optional<MeshPart> decode_mesh_part(ByteSpan plugin_content);
std::string encode_mesh_part(const MeshPart& part, std::span<const std::int64_t> shape);

/// "_VERTEX", "_FACE", "_COLOR".
std::string_view mesh_suffix(MeshContent content) noexcept;

}  // namespace taffrail::formats::tensorboard
