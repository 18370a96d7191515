#include "codec/formats/tensorboard/hparams.h"

#include "base/utf8.h"
#include "codec/formats/tensorboard/map_entry.h"
#include "codec/protobuf_wire.h"

#include <cmath>

namespace taffrail::formats::tensorboard {
namespace {

/// google.protobuf.Value, scalars only; lists and structs come back as nothing.
Cell decode_cell(ByteSpan message) {
    ProtoReader reader(message);
    WireField field;
    Cell cell;
    while (reader.next(field)) {
        if (field.is(2, WireType::Fixed64)) {
            const double number = field.as_double();
            // The format has no whole numbers; one that is whole and small enough was one, as far
            // as anybody can see.
            if (std::abs(number) < 9e15 && number == std::floor(number) &&
                !(number == 0 && std::signbit(number))) {
                cell = static_cast<std::int64_t>(number);
            } else {
                cell = number;
            }
        } else if (field.is(3, WireType::Length)) {
            cell = repair_utf8(field.as_text());
        } else if (field.is(4, WireType::Varint)) {
            cell = field.raw != 0;
        }
    }
    return cell;
}

Bytes encode_cell(const Cell& cell) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    if (const auto* truth = std::get_if<bool>(&cell)) {
        writer.boolean(4, *truth);
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        writer.fixed64(2, static_cast<double>(*whole));
    } else if (const auto* number = std::get_if<double>(&cell)) {
        writer.fixed64(2, *number);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        writer.text(3, is_valid_utf8(*text) ? *text : repair_utf8(*text));
    } else {
        writer.varint(1, 0);
    }
    return bytes;
}

std::string to_string(const Bytes& bytes) {
    return std::string(as_text(bytes));
}

void decode_session_start(ByteSpan message, HparamsMessage& to) {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            MapEntry entry = decode_map_entry(field.bytes);
            to.hparams.emplace_back(std::move(entry.name), decode_cell(entry.message));
        } else if (field.is(4, WireType::Length)) {
            to.group_name = repair_utf8(field.as_text());
        } else if (field.is(5, WireType::Fixed64)) {
            to.time_seconds = field.as_double();
        }
    }
}

void decode_session_end(ByteSpan message, HparamsMessage& to) {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            to.state = field.raw == 1   ? RunState::Finished
                       : field.raw == 2 ? RunState::Failed
                                        : RunState::Running;
        } else if (field.is(2, WireType::Fixed64)) {
            to.time_seconds = field.as_double();
        }
    }
}

}  // namespace

std::optional<HparamsMessage> decode_hparams(ByteSpan plugin_content) {
    HparamsMessage result;
    ProtoReader reader(plugin_content);
    WireField field;
    while (reader.next(field)) {
        if (field.is(2, WireType::Length)) {
            result.part = HparamsPart::Experiment;
        } else if (field.is(3, WireType::Length)) {
            result.part = HparamsPart::SessionStart;
            decode_session_start(field.bytes, result);
        } else if (field.is(4, WireType::Length)) {
            result.part = HparamsPart::SessionEnd;
            decode_session_end(field.bytes, result);
        }
    }
    return reader.ok() ? std::optional(std::move(result)) : std::nullopt;
}

std::string encode_session_start(const Hparams& hparams, std::string_view group_name,
                                 double start_time_seconds) {
    Bytes bytes;
    ProtoWriter(bytes).message(3, [&](ProtoWriter& start) {
        for (const auto& [name, cell] : hparams) {
            start.message(1, [&](ProtoWriter& entry) {
                entry.text(1, is_valid_utf8(name) ? name : repair_utf8(name));
                entry.bytes(2, encode_cell(cell));
            });
        }
        if (!group_name.empty()) {
            start.text(4, group_name);
        }
        start.fixed64(5, start_time_seconds);
    });
    return to_string(bytes);
}

std::string encode_session_end(RunState state, double end_time_seconds) {
    Bytes bytes;
    ProtoWriter(bytes).message(4, [&](ProtoWriter& end) {
        end.varint(1, state == RunState::Finished  ? 1
                      : state == RunState::Running ? 3
                      : state == RunState::Idle    ? 0
                                                   : 2);
        end.fixed64(2, end_time_seconds);
    });
    return to_string(bytes);
}

}  // namespace taffrail::formats::tensorboard
