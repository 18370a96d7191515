#include "base/strings.h"
#include "base/utf8.h"
#include "codec/gzip.h"
#include "codec/json.h"
#include "codec/protobuf_wire.h"
#include "profile/derive.h"
#include "profile/formats/pprof/pprof.h"
#include "profile/stack_list.h"

#include <cmath>
#include <unordered_map>

namespace taffrail::profile {
namespace {

class PprofWriter {
  public:
    explicit PprofWriter(Profile& profile) : profile_(profile), to_(bytes_), stacks_(profile) {
        (void)string("");
    }

    Bytes write() {
        for (const ValueType& type : profile_.value_types) {
            // Whole numbers only: times are written in the smallest unit.
            const auto ns = nanoseconds_per(type.unit);
            scales_.push_back(ns.value_or(1));
            write_type(1, type.name, ns ? std::string_view("nanoseconds") : type.unit);
        }
        for (std::size_t sample = 0; sample < profile_.samples.size(); ++sample) {
            write_sample(sample);
        }
        for (FrameId frame = 0; frame < profile_.frames.size(); ++frame) {
            write_place(frame);
        }
        for (const auto& [key, json] : profile_.metadata) {
            const auto number = parse_int(json);
            if (number && key == "time_nanos") {
                to_.signed_varint(9, *number);
            } else if (number && key == "duration_nanos") {
                to_.signed_varint(10, *number);
            } else if (number && key == "period") {
                to_.signed_varint(12, *number);
            }
        }
        if (const std::size_t main = main_value(profile_); main != kNone) {
            to_.varint(14, string(profile_.value_types[main].name));
        }
        // Last, when all of them are known.
        for (const std::string& text : strings_) {
            to_.text(6, text);
        }
        return std::move(bytes_);
    }

  private:
    std::uint64_t string(std::string_view text) {
        const TextId id = table_.id(text);
        if (id == strings_.size()) {
            strings_.push_back(repair_utf8(text));
        }
        return id;
    }

    void write_type(std::uint32_t field, std::string_view name, std::string_view unit) {
        const std::uint64_t name_id = string(name), unit_id = string(unit);
        to_.message(field, [&](ProtoWriter& type) {
            type.varint(1, name_id);
            type.varint(2, unit_id);
        });
    }

    void write_sample(std::size_t sample) {
        Bytes ids, values;
        const auto frames = stacks_.frames(profile_.samples[sample].node);
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
            append_varint(ids, *frame + 1);
        }
        std::size_t column = 0;
        for (const double value : profile_.values_of(sample)) {
            const double scaled = value * scales_[column++];
            if (!std::isfinite(scaled) || std::abs(scaled) > 9.2e18) {
                profile_.notes.add("a weight that is no whole number of 64 bits counts as 0");
                append_varint(values, 0);
            } else {
                append_varint(values, static_cast<std::uint64_t>(std::llround(scaled)));
            }
        }
        to_.message(2, [&](ProtoWriter& message) {
            message.bytes(1, ids);
            message.bytes(2, values);
            write_labels(message, profile_.args_text(profile_.samples[sample].args));
        });
    }

    void write_labels(ProtoWriter& message, std::string_view args) {
        if (args.empty()) {
            return;
        }
        const auto json = parse_json(args);
        const Json::Object* members = json.ok() ? json->object() : nullptr;
        if (members == nullptr) {
            return;
        }
        for (const auto& [key, value] : *members) {
            const std::uint64_t key_id = string(key);
            const std::uint64_t text_id = value.string() != nullptr ? string(*value.string()) : 0;
            message.message(3, [&](ProtoWriter& label) {
                label.varint(1, key_id);
                if (text_id != 0) {
                    label.varint(2, text_id);
                } else {
                    label.signed_varint(3, value.integer().value_or(0));
                }
            });
        }
    }

    void write_place(FrameId id) {
        const Frame& frame = profile_.frames[id];
        const auto [function, is_new] = functions_.try_emplace(
            static_cast<std::uint64_t>(frame.name) << 32 | frame.file, functions_.size() + 1);
        if (is_new) {
            const std::uint64_t name = string(profile_.texts[frame.name]);
            const std::uint64_t file = string(profile_.texts[frame.file]);
            to_.message(5, [&](ProtoWriter& message) {
                message.varint(1, function->second);
                message.varint(2, name);
                message.varint(3, name);
                message.varint(4, file);
            });
        }
        to_.message(4, [&](ProtoWriter& location) {
            location.varint(1, id + std::uint64_t{1});
            location.message(4, [&](ProtoWriter& line) {
                line.varint(1, function->second);
                if (frame.line != 0) {
                    line.varint(2, frame.line);
                }
                if (frame.column != 0) {
                    line.varint(3, frame.column);
                }
            });
        });
    }

    Profile& profile_;
    Bytes bytes_;
    ProtoWriter to_;
    StackList stacks_;
    Texts table_;
    std::vector<std::string> strings_;
    std::vector<double> scales_;
    std::unordered_map<std::uint64_t, std::uint64_t> functions_;
};

}  // namespace

Result<void> write_pprof(Profile& profile, Output& out, const WriteOptions&) {
    make_stacks(profile);
    out.bytes(gzip(PprofWriter(profile).write()));
    return out.finish();
}

}  // namespace taffrail::profile
