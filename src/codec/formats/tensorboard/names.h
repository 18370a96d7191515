// Names and numbers that TensorBoard's plugins agree on.
#pragma once

#include <cstdint>
#include <string_view>

namespace taffrail::formats::tensorboard {

inline constexpr std::string_view kFileVersion = "brain.Event:2";

inline constexpr std::string_view kScalars = "scalars";
inline constexpr std::string_view kImages = "images";
inline constexpr std::string_view kAudio = "audio";
inline constexpr std::string_view kText = "text";
inline constexpr std::string_view kHistograms = "histograms";
inline constexpr std::string_view kHparams = "hparams";
inline constexpr std::string_view kMesh = "mesh";
inline constexpr std::string_view kPrCurves = "pr_curves";
inline constexpr std::string_view kCustomScalars = "custom_scalars";
inline constexpr std::string_view kGraphs = "graphs";

inline constexpr std::string_view kSessionStartTag = "_hparams_/session_start_info";
inline constexpr std::string_view kSessionEndTag = "_hparams_/session_end_info";
inline constexpr std::string_view kLayoutTag = "custom_scalars__config__";
/// The tag under which the data provider protocol serves Event.graph_def.
inline constexpr std::string_view kRunGraphTag = "__run_graph__";

enum class DataClass : std::uint8_t { Unknown = 0, Scalar = 1, Tensor = 2, BlobSequence = 3 };

/// Event, field numbers.
namespace event {
inline constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kGraphDef = 4,
                               kSummary = 5, kLogMessage = 6, kSessionLog = 7,
                               kTaggedRunMetadata = 8, kMetaGraphDef = 9, kSourceMetadata = 10;
}

/// Summary.Value, field numbers.
namespace value {
inline constexpr std::uint32_t kTag = 1, kSimpleValue = 2, kImage = 4, kHisto = 5, kAudio = 6,
                               kNodeName = 7, kTensor = 8, kMetadata = 9;
}

/// TensorProto element types.
enum class TensorType : std::uint8_t {
    Invalid = 0,
    Float = 1,
    Double = 2,
    Int32 = 3,
    UInt8 = 4,
    Int16 = 5,
    Int8 = 6,
    String = 7,
    Int64 = 9,
    Bool = 10,
    BFloat16 = 14,
    UInt16 = 17,
    Half = 19,
    UInt32 = 22,
    UInt64 = 23,
};

enum class SessionStatus : std::uint8_t { Unknown = 0, Start = 1, Stop = 2, Checkpoint = 3 };

enum class MeshContent : std::uint8_t { Vertex = 1, Face = 2, Color = 3 };

}  // namespace taffrail::formats::tensorboard
