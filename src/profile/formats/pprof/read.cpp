#include "base/utf8.h"
#include "codec/json_writer.h"
#include "codec/protobuf_wire.h"
#include "profile/formats/pprof/pprof.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace taffrail::profile {
namespace {

struct PprofFunction {
    std::uint64_t name = 0, system_name = 0, file = 0, start_line = 0;
};

class PprofReader {
  public:
    PprofReader(ByteSpan bytes, Profile& profile) : bytes_(bytes), profile_(profile) {}

    Result<void> read() {
        // Messages refer to each other by number and may stand in any order: texts and functions
        // first, places next, samples last.
        for_each_field(bytes_, [&](const WireField& field) {
            if (field.is(6, WireType::Length)) {
                strings_.push_back(field.as_text());
            } else if (field.is(5, WireType::Length)) {
                read_function(field.bytes);
            }
        });
        for_each_field(bytes_, [&](const WireField& field) {
            if (field.is(1, WireType::Length)) {
                const ValueType type = value_type(field.bytes);
                profile_.value_types.push_back(type);
            } else if (field.is(4, WireType::Length)) {
                read_location(field.bytes);
            } else {
                read_number(field);
            }
        });
        const ThreadId thread = profile_.only_thread();
        const bool is_whole = for_each_field(bytes_, [&](const WireField& field) {
            if (field.is(2, WireType::Length)) {
                read_sample(field.bytes, thread);
            }
        });
        if (!is_whole) {
            profile_.notes.add("the file is cut off or damaged; what stands before is here");
        }
        if (profile_.value_types.empty() && profile_.samples.empty()) {
            return Error{ErrorCode::Corrupt, "no pprof profile: it has no value types"};
        }
        return {};
    }

  private:
    std::string_view string(std::uint64_t index) {
        if (index < strings_.size()) {
            return strings_[static_cast<std::size_t>(index)];
        }
        profile_.notes.add("a text that is not in the table of texts counts as empty");
        return {};
    }

    TextId text(std::uint64_t index) {
        const std::string_view found = string(index);
        return profile_.text(is_valid_utf8(found) ? found : repair_utf8(found));
    }

    ValueType value_type(ByteSpan message) {
        ValueType type;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.is(1, WireType::Varint)) {
                type.name = repair_utf8(string(field.raw));
            } else if (field.is(2, WireType::Varint)) {
                type.unit = repair_utf8(string(field.raw));
            }
        }
        return type;
    }

    void read_function(ByteSpan message) {
        std::uint64_t id = 0;
        PprofFunction function;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.type != WireType::Varint) {
                continue;
            }
            switch (field.number) {
                case 1:
                    id = field.raw;
                    break;
                case 2:
                    function.name = field.raw;
                    break;
                case 3:
                    function.system_name = field.raw;
                    break;
                case 4:
                    function.file = field.raw;
                    break;
                case 5:
                    function.start_line = field.raw;
                    break;
                default:
                    break;
            }
        }
        functions_[id] = function;
    }

    FrameId line_frame(ByteSpan message) {
        std::uint64_t function_id = 0, line = 0, column = 0;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.type == WireType::Varint) {
                (field.number == 1 ? function_id : field.number == 2 ? line : column) = field.raw;
            }
        }
        const auto known = functions_.find(function_id);
        if (known == functions_.end()) {
            profile_.notes.add("a place names a function that is not there");
            return profile_.frame("?");
        }
        const PprofFunction& function = known->second;
        const auto number = [](std::uint64_t value) {
            return value <= UINT32_MAX ? static_cast<std::uint32_t>(value) : 0;
        };
        return profile_.frames.id({text(function.name != 0 ? function.name : function.system_name),
                                   text(function.file),
                                   number(line != 0 ? line : function.start_line), number(column)});
    }

    void read_location(ByteSpan message) {
        std::uint64_t id = 0, address = 0;
        std::vector<FrameId> lines;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.is(1, WireType::Varint)) {
                id = field.raw;
            } else if (field.is(3, WireType::Varint)) {
                address = field.raw;
            } else if (field.is(4, WireType::Length)) {
                lines.push_back(line_frame(field.bytes));
            }
        }
        if (lines.empty()) {
            char digits[20] = "0x";
            const auto* end = std::to_chars(digits + 2, digits + sizeof digits, address, 16).ptr;
            lines.push_back(
                profile_.frame(std::string_view(digits, static_cast<std::size_t>(end - digits))));
        }
        locations_[id] = std::move(lines);
    }

    void read_number(const WireField& field) {
        static constexpr std::string_view kNames[] = {"time_nanos", "duration_nanos", {}, "period"};
        if (field.type == WireType::Varint && field.number >= 9 && field.number <= 12 &&
            field.number != 11) {
            profile_.metadata.emplace_back(kNames[field.number - 9],
                                           std::to_string(field.as_int64()));
        }
    }

    void read_sample(ByteSpan message, ThreadId thread) {
        ids_.clear();
        values_.clear();
        JsonWriter labels;
        labels.begin_object();
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.number == 1) {
                for_each_number(field, WireType::Varint,
                                [&](std::uint64_t id) { ids_.push_back(id); });
            } else if (field.number == 2) {
                for_each_number(field, WireType::Varint, [&](std::uint64_t raw) {
                    const auto value = static_cast<std::int64_t>(raw);
                    if (value > (std::int64_t{1} << 53) || value < -(std::int64_t{1} << 53)) {
                        profile_.notes.add("a weight beyond 2^53 was rounded");
                    }
                    values_.push_back(static_cast<double>(value));
                });
            } else if (field.is(3, WireType::Length)) {
                read_label(field.bytes, labels);
            }
        }
        if (!reader.ok() || values_.size() > profile_.value_types.size()) {
            profile_.notes.add("a sample with damaged or too many weights was left out");
            return;
        }
        NodeId node = kRoot;
        for (auto id = ids_.rbegin(); id != ids_.rend(); ++id) {
            const auto known = locations_.find(*id);
            if (known == locations_.end()) {
                profile_.notes.add("a sample names a place that is not there");
                continue;
            }
            // The last line is the caller, those before it were inlined into it.
            for (auto frame = known->second.rbegin(); frame != known->second.rend(); ++frame) {
                node = profile_.tree.child(node, *frame);
            }
        }
        profile_.add_sample(
            {.node = node, .thread = thread, .args = profile_.args(labels.end_object().text())},
            values_);
    }

    void read_label(ByteSpan message, JsonWriter& labels) {
        std::uint64_t key = 0, text_index = 0;
        std::int64_t number = 0;
        bool is_text = false;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.is(1, WireType::Varint)) {
                key = field.raw;
            } else if (field.is(2, WireType::Varint)) {
                text_index = field.raw;
                is_text = text_index != 0;
            } else if (field.is(3, WireType::Varint)) {
                number = field.as_int64();
            }
        }
        labels.key(string(key));
        is_text ? labels.value(string(text_index)) : labels.value(number);
    }

    ByteSpan bytes_;
    Profile& profile_;
    std::vector<std::string_view> strings_;
    std::unordered_map<std::uint64_t, PprofFunction> functions_;
    std::unordered_map<std::uint64_t, std::vector<FrameId>> locations_;
    std::vector<std::uint64_t> ids_;
    std::vector<double> values_;
};

}  // namespace

bool is_pprof(ByteSpan bytes) {
    // Messages and numbers where a profile has them and nothing else, with texts among them, or
    // value types where the beginning is all there is to see.
    constexpr std::size_t kLook = 1u << 20;
    ProtoReader reader(bytes.first(std::min(bytes.size(), kLook)));
    bool has_texts = false, has_types = false;
    for (WireField field; reader.next(field);) {
        const bool is_message = field.number <= 6 && field.type == WireType::Length;
        const bool is_number = field.number >= 7 && field.number <= 15 && field.number != 11 &&
                               field.type == WireType::Varint;
        const bool is_packed =
            (field.number == 11 || field.number == 13) && field.type == WireType::Length;
        if (!is_message && !is_number && !is_packed) {
            return false;
        }
        has_texts = has_texts || field.number == 6;
        if (field.number == 1) {
            // Perfetto's packets have this number too; a value type is two small numbers.
            ProtoReader type(field.bytes);
            for (WireField part; type.next(part);) {
                if (part.number > 2 || part.type != WireType::Varint) {
                    return false;
                }
            }
            if (!type.ok()) {
                return false;
            }
            has_types = true;
        }
    }
    return has_texts || (has_types && !reader.ok());
}

Result<void> read_pprof(ByteSpan bytes, Profile& profile) {
    return PprofReader(bytes, profile).read();
}

}  // namespace taffrail::profile
