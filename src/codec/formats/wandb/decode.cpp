#include "codec/formats/wandb/decode.h"

#include "base/strings.h"
#include "codec/json_writer.h"

namespace taffrail::formats::wandb {

std::optional<RecordView> parse_record(ByteSpan bytes) {
    RecordView view;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        // Every kind of record has its own field; 16, 19 and 200 belong to the envelope.
        if (field.type != WireType::Length || field.number == 16 || field.number == 19 ||
            field.number >= 28) {
            continue;
        }
        view.type = static_cast<RecordType>(field.number);
        view.body = field.bytes;
    }
    return reader.ok() ? std::optional(view) : std::nullopt;
}

bool parse_item(ByteSpan bytes, ItemView& item) {
    item.path.clear();
    item.json = {};
    item.typed.clear();
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(kItemKey, WireType::Length)) {
            if (!field.bytes.empty()) {
                item.path.assign(1, field.as_text());
            }
        } else if (field.is(kItemNestedKey, WireType::Length)) {
            item.path.push_back(field.as_text());
        } else if (field.is(kItemJson, WireType::Length) || field.is(8, WireType::Length)) {
            item.json = field.as_text();
        } else if (field.is(3, WireType::Varint)) {
            item.typed = "null";
        } else if (field.is(4, WireType::Varint)) {
            item.typed = field.raw != 0 ? "true" : "false";
        } else if (field.is(5, WireType::Varint)) {
            item.typed = std::to_string(static_cast<std::int64_t>(field.raw >> 1) ^
                                        -static_cast<std::int64_t>(field.raw & 1));
        } else if (field.is(6, WireType::Fixed64)) {
            item.typed = format_double(field.as_double());
        } else if (field.is(7, WireType::Length)) {
            append_json_string(item.typed, field.as_text());
        }
    }
    if (!item.typed.empty()) {
        item.json = item.typed;
    }
    return reader.ok() && !item.path.empty();
}

std::int64_t parse_time(ByteSpan bytes) noexcept {
    std::int64_t seconds = 0, nanoseconds = 0;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            seconds = field.as_int64();
        } else if (field.is(2, WireType::Varint)) {
            nanoseconds = field.as_int64();
        }
    }
    constexpr std::int64_t kLargest = 9'000'000'000;
    if (seconds < -kLargest || seconds > kLargest || nanoseconds < 0 ||
        nanoseconds >= 1'000'000'000) {
        return 0;
    }
    return seconds * 1'000'000'000 + nanoseconds;
}

std::int64_t parse_stats_time(ByteSpan body) noexcept {
    std::int64_t time_ns = 0;
    for_each_field(body, [&](const WireField& field) {
        time_ns = field.is(2, WireType::Length) ? parse_time(field.bytes) : time_ns;
    });
    return time_ns;
}

ArtifactView parse_artifact(ByteSpan body, std::size_t max_files) {
    ArtifactView artifact;
    ProtoReader reader(body);
    WireField field;
    ByteSpan manifest;
    while (reader.next(field)) {
        if (field.type != WireType::Length) {
            continue;
        }
        switch (field.number) {
            case 4:
                artifact.type = field.as_text();
                break;
            case 5:
                artifact.name = field.as_text();
                break;
            case 8:
                artifact.metadata_json = field.as_text();
                break;
            case 11:
                artifact.aliases.push_back(field.as_text());
                break;
            case 12:
                manifest = field.bytes;
                break;
            default:
                break;
        }
    }
    ProtoReader files(manifest);
    while (files.next(field) && artifact.files.size() < max_files) {
        if (!field.is(4, WireType::Length)) {
            continue;
        }
        ManifestEntryView& entry = artifact.files.emplace_back();
        ProtoReader parts(field.bytes);
        WireField part;
        while (parts.next(part)) {
            if (part.is(1, WireType::Length)) {
                entry.path = part.as_text();
            } else if (part.is(2, WireType::Length)) {
                entry.digest = part.as_text();
            } else if (part.is(3, WireType::Length)) {
                entry.reference = part.as_text();
            } else if (part.is(4, WireType::Varint)) {
                entry.size = part.raw;
            } else if (part.is(6, WireType::Length)) {
                entry.local_path = part.as_text();
            }
        }
    }
    return artifact;
}

MetricView parse_metric(ByteSpan body) {
    MetricView metric;
    ProtoReader reader(body);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            metric.name = field.as_text();
        } else if (field.is(2, WireType::Length)) {
            metric.glob = field.as_text();
        } else if (field.is(4, WireType::Length)) {
            metric.step = field.as_text();
        } else if (field.is(8, WireType::Varint)) {
            metric.goal = field.raw;
        } else if (field.is(6, WireType::Length) || field.is(7, WireType::Length)) {
            const bool is_summary = field.number == 7;
            ProtoReader parts(field.bytes);
            WireField part;
            while (parts.next(part)) {
                const bool on = part.type == WireType::Varint && part.raw != 0;
                if (!is_summary) {
                    metric.hidden = metric.hidden || (part.number == 2 && on);
                } else if (part.number == 1) {
                    metric.minimum = on;
                } else if (part.number == 2) {
                    metric.maximum = on;
                } else if (part.number == 3) {
                    metric.mean = on;
                } else if (part.number == 6) {
                    metric.none = on;
                }
            }
        }
    }
    return metric;
}

}  // namespace taffrail::formats::wandb
