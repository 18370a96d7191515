// Records of a `.wandb` file read: views into the bytes, which nobody vouches for.
#pragma once

#include "base/bytes.h"
#include "codec/formats/wandb/fields.h"
#include "codec/protobuf_wire.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::formats::wandb {

/// A record: what it is, and the message inside. Unknown ones are RecordType::None.
struct RecordView {
    RecordType type = RecordType::None;
    ByteSpan body;
};

/// Nothing for bytes that are no message. Fields of later versions are skipped.
std::optional<RecordView> parse_record(ByteSpan bytes);

/// A value of history, config, summary or stats. `path` has one part, or those of a nested name.
struct ItemView {
    std::vector<std::string_view> path;
    std::string_view json;
    std::string typed;  ///< holds `json` where the value was not written as text

    [[nodiscard]] bool is(std::string_view name) const noexcept {
        return path.size() == 1 && path.front() == name;
    }
};

/// Takes an item apart, reusing its memory. False for one without a name.
bool parse_item(ByteSpan bytes, ItemView& item);

/// Nanoseconds since 1970, kept inside the range of times.
std::int64_t parse_time(ByteSpan bytes) noexcept;

/// When a record of readings (RecordType::Stats) was taken; 0 where it does not say.
std::int64_t parse_stats_time(ByteSpan body) noexcept;

/// Calls `visit(const ItemView&)` for the items under `field` of a message.
template <typename Visit>
void for_each_item(ByteSpan message, std::uint32_t field, ItemView& item, Visit&& visit) {
    ProtoReader reader(message);
    WireField one;
    while (reader.next(one)) {
        if (one.is(field, WireType::Length) && parse_item(one.bytes, item)) {
            visit(static_cast<const ItemView&>(item));
        }
    }
}

struct ManifestEntryView {
    std::string_view path, digest, reference, local_path;
    std::uint64_t size = 0;
};

struct ArtifactView {
    std::string_view type, name, metadata_json;
    std::vector<std::string_view> aliases;
    std::vector<ManifestEntryView> files;
};

/// At most `max_files` of the files.
ArtifactView parse_artifact(ByteSpan body, std::size_t max_files);

struct MetricView {
    std::string_view name, glob, step;
    bool hidden = false, minimum = false, maximum = false, mean = false, none = false;
    std::uint64_t goal = 0;
};

MetricView parse_metric(ByteSpan body);

}  // namespace taffrail::formats::wandb
