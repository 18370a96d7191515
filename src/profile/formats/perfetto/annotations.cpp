#include "profile/formats/perfetto/annotations.h"

#include "codec/json.h"
#include "codec/protobuf_wire.h"
#include "profile/formats/perfetto/fields.h"
#include "profile/profile.h"

#include <cmath>

namespace taffrail::profile {
namespace {

namespace fields = perfetto;

constexpr int kMaxLevels = 32;

std::string text_of_id(const std::unordered_map<std::uint64_t, TextId>& table, std::uint64_t id,
                       const Profile& profile) {
    const auto known = table.find(id);
    return known == table.end() ? std::string() : std::string(profile.texts[known->second]);
}

// Recursion is bounded by kMaxLevels.
Annotation annotation_at(ByteSpan message, const PacketSequence& sequence, const Profile& profile,
                         int level) {
    Annotation annotation;
    std::string members, elements;
    JsonWriter json;
    ProtoReader reader(message);
    for (WireField field; reader.next(field);) {
        json.clear();
        switch (field.number) {
            case fields::annotation::kNameId:
                annotation.name = text_of_id(sequence.annotation_names, field.raw, profile);
                break;
            case fields::annotation::kName:
                annotation.name = field.as_text();
                break;
            case fields::annotation::kTruth:
                annotation.json = field.raw != 0 ? "true" : "false";
                break;
            case fields::annotation::kUnsigned:
            case fields::annotation::kPointer:
                annotation.json = std::to_string(field.raw);
                break;
            case fields::annotation::kSigned:
                annotation.json = std::to_string(field.as_int64());
                break;
            case fields::annotation::kReal:
                annotation.json = json.value(field.as_double()).text();
                break;
            case fields::annotation::kText:
            case fields::annotation::kTextId:
                annotation.text = field.type == WireType::Length
                                      ? std::string(field.as_text())
                                      : text_of_id(sequence.texts, field.raw, profile);
                annotation.json = json.value(annotation.text).text();
                break;
            case fields::annotation::kJson:
                if (const auto parsed = parse_json(field.as_text()); parsed.ok()) {
                    annotation.json = parsed->dump();
                }
                break;
            case fields::annotation::kMembers:
            case fields::annotation::kElements:
                if (field.type == WireType::Length && level < kMaxLevels) {
                    const bool is_member = field.number == fields::annotation::kMembers;
                    const Annotation inner =
                        annotation_at(field.bytes, sequence, profile, level + 1);
                    std::string& to = is_member ? members : elements;
                    to += to.empty() ? "" : ",";
                    if (is_member) {
                        append_json_string(to, inner.name);
                        to += ":";
                    }
                    to += inner.json.empty() ? "null" : inner.json;
                }
                break;
            default:
                break;
        }
    }
    if (!members.empty()) {
        annotation.json = "{" + members + "}";
    } else if (!elements.empty()) {
        annotation.json = "[" + elements + "]";
    }
    return annotation;
}

}  // namespace

Annotation read_annotation(ByteSpan message, const PacketSequence& sequence,
                           const Profile& profile) {
    return annotation_at(message, sequence, profile, 0);
}

}  // namespace taffrail::profile
