// Taffrail's values turned into summary values that both of TensorBoard's loaders show.
//
// Pure: values in, bytes out. Which tags were seen before, and what goes into which file, is the
// writer's business.
#pragma once

#include <taffrail/value.h>

#include "codec/formats/tensorboard/event.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::formats::tensorboard {

/// One Summary.Value before its tag is final: `field` and `body` are the oneof that carries the
/// data (0 = metadata only).
struct EncodedValue {
    std::string tag;
    Metadata metadata;
    std::uint32_t field = 0;
    Bytes body;
};

EncodedValue encode_scalar(std::string_view tag, double value);
EncodedValue encode_histogram(std::string_view tag, const Histogram& histogram);
/// Encoded pictures (PNG, JPEG or GIF bytes) of one size.
EncodedValue encode_pictures(std::string_view tag, std::int64_t width, std::int64_t height,
                             std::span<const ByteSpan> encoded, std::string_view description = {});
EncodedValue encode_audio(std::string_view tag, ByteSpan wav, std::string_view description = {});
EncodedValue encode_text(std::string_view tag, const Text& text);
/// Rank 2 with the column names in bold as its first row; rank 1 for one column without a name.
EncodedValue encode_table(std::string_view tag, const Table& table);
EncodedValue encode_pr_curve(std::string_view tag, const PrCurve& curve);
EncodedValue encode_tensor_value(std::string_view tag, TensorType type,
                                 std::span<const std::int64_t> dims, ByteSpan content);
/// Metadata-only values of the hparams plugin.
EncodedValue encode_hparams(std::string_view tag, std::string content);
EncodedValue encode_layout_value(ByteSpan layout);

struct MeshSpans {
    std::int64_t batch = 1;
    std::int64_t vertex_count = 0, face_count = 0;  ///< per batch entry
    std::span<const float> vertices;
    std::span<const std::int32_t> faces;
    std::span<const std::uint8_t> colors;
    std::string_view config_json;
};

/// One value per part that is there; all belong to one step.
std::vector<EncodedValue> encode_mesh(std::string_view tag, const MeshSpans& mesh);

/// GraphDef for Event.graph_def.
Bytes encode_graph(const Graph& graph);

/// The Summary.Value message. Metadata is left out when `with_metadata` is false: only a tag's
/// first one counts.
Bytes encode_summary_value(const EncodedValue& value, bool with_metadata);
/// A Summary of whole Value messages.
Bytes encode_summary(std::span<const Bytes> values);

}  // namespace taffrail::formats::tensorboard
