// Event and Summary.Value: what one record holds, seen without copying.
#pragma once

#include "base/bytes.h"
#include "codec/formats/tensorboard/names.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::formats::tensorboard {

/// What an Event carries. Of several, the last on the wire wins, as in protobuf's own `oneof`.
enum class EventContent : std::uint8_t {
    None,
    FileVersion,
    GraphDef,
    Summary,
    LogMessage,
    SessionLog,
    TaggedRunMetadata,
    MetaGraphDef,
};

struct EventView {
    double wall_time = 0;  ///< seconds since 1970; whatever the writer wrote, NaN included
    std::int64_t step = 0;
    EventContent content = EventContent::None;
    ByteSpan body;  ///< bytes of the content
};

/// False when the bytes are no Event.
bool parse_event(ByteSpan payload, EventView& event) noexcept;

enum class ValueContent : std::uint8_t { None, Simple, Image, Histo, Audio, Tensor };

struct ValueView {
    std::string_view tag;
    ValueContent content = ValueContent::None;
    float simple = 0;
    ByteSpan body;      ///< Image, HistogramProto, Audio or TensorProto message
    ByteSpan metadata;  ///< SummaryMetadata message; empty when absent
    bool has_metadata = false;
};

bool parse_value(ByteSpan message, ValueView& value) noexcept;

/// Calls visit(const ValueView&, ByteSpan message) for every value of a Summary; false when the
/// bytes are broken.
template <typename Visit>
bool for_each_value(ByteSpan summary, Visit&& visit);

struct Metadata {
    std::string plugin;
    std::string content;
    std::string display_name;
    std::string description;
    DataClass data_class = DataClass::Unknown;
};

bool parse_metadata(ByteSpan message, Metadata& metadata);

struct SessionLog {
    SessionStatus status = SessionStatus::Unknown;
    std::string_view checkpoint_path, message;
};

bool parse_session_log(ByteSpan message, SessionLog& log) noexcept;

/// Nanoseconds as the seconds event files have: the double nearest to them, so that a time read
/// from a file and rounded to nanoseconds comes back as the same double.
constexpr double to_seconds(std::int64_t time_ns) noexcept {
    const std::int64_t whole_seconds = time_ns / 1'000'000'000;
    return static_cast<double>(whole_seconds) + static_cast<double>(time_ns % 1'000'000'000) / 1e9;
}

// ---- writing ----

/// Bytes of one Event. `content` and its field number as in names.h; an empty content writes no
/// field.
void append_event(Bytes& to, double wall_time, std::int64_t step, std::uint32_t content_field,
                  ByteSpan content);
/// The first event of every file.
void append_file_version_event(Bytes& to, double wall_time);
void append_session_event(Bytes& to, double wall_time, std::int64_t step, SessionStatus status);
Bytes encode_metadata(const Metadata& metadata);

/// One whole framed record with a legacy scalar: the hot path of writing. `metadata` is an encoded
/// SummaryMetadata or empty.
void append_scalar_record(Bytes& to, double wall_time, std::int64_t step, std::string_view tag,
                          float value, ByteSpan metadata);

}  // namespace taffrail::formats::tensorboard

#include "codec/formats/tensorboard/event_inline.h"
