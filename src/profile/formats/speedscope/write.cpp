#include "base/strings.h"
#include "codec/json_writer.h"
#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"
#include "profile/formats/speedscope/speedscope.h"
#include "profile/span_walk.h"
#include "profile/stack_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffrail::profile {
namespace {

class SpeedscopeWriter {
  public:
    SpeedscopeWriter(Profile& profile, Output& out, const WriteOptions& options)
        : profile_(profile), out_(out), options_(options) {}

    Result<void> write() {
        // Spans bring their frames along: the list of frames needs them first.
        const bool is_timeline = !profile_.spans.empty();
        if (is_timeline) {
            span_frames_ = frames_of_spans(profile_);
        } else {
            make_stacks(profile_);
        }
        const std::size_t value = is_timeline ? 0 : main_value(profile_, options_.value);
        if (value == kNone) {
            return Error{ErrorCode::InvalidArgument,
                         "the profile has no such weights: \"" + options_.value + "\""};
        }
        text("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
        text("\"exporter\":\"taffrail\",\"name\":");
        const std::string& title = options_.title.empty() ? profile_.name : options_.title;
        append_json_string(out_.buffer(), title.empty() ? "profile" : title);
        text(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
        write_frames();
        text("]},\n\"profiles\":[");
        is_timeline ? write_events() : write_samples(value);
        text("\n]}\n");
        return out_.finish();
    }

  private:
    void text(std::string_view text) { out_.buffer().append(text); }

    void integer(std::int64_t number) {
        char digits[24];
        out_.buffer().append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    }

    void write_frames() {
        for (FrameId id = 0; id < profile_.frames.size(); ++id) {
            const Frame& frame = profile_.frames[id];
            text(id == 0 ? "\n{\"name\":" : ",\n{\"name\":");
            append_json_string(out_.buffer(), profile_.texts[frame.name]);
            if (frame.file != 0) {
                text(",\"file\":");
                append_json_string(out_.buffer(), profile_.texts[frame.file]);
            }
            if (frame.line != 0) {
                text(",\"line\":");
                integer(frame.line);
            }
            if (frame.column != 0) {
                text(",\"col\":");
                integer(frame.column);
            }
            text("}");
            out_.pause();
        }
    }

    void begin_profile(ThreadId thread, std::string_view type, std::string_view unit) {
        text(is_first_ ? "\n{\"type\":\"" : ",\n{\"type\":\"");
        is_first_ = false;
        text(type);
        text("\",\"name\":");
        const Thread& it = profile_.threads[thread];
        append_json_string(out_.buffer(), it.name != 0 ? std::string(profile_.texts[it.name])
                                                       : thread_title(profile_, thread));
        text(",\"unit\":\"");
        text(unit);
        text("\"");
    }

    void end_profile(std::string_view start, std::string_view end) {
        text(",\"startValue\":");
        text(start);
        text(",\"endValue\":");
        text(end);
        text("}");
    }

    void write_events() {
        const SpanWeights weights = span_weights(profile_);
        const bool is_time = nanoseconds_per(weights.type.unit).has_value();
        const double ns_per_unit = is_time ? 1 : weights.ns_per_unit;
        const auto at_text = [&](std::int64_t at_ns) {
            return is_time ? std::to_string(at_ns)
                           : format_double(static_cast<double>(at_ns) / ns_per_unit);
        };
        std::int64_t start_ns = 0, end_ns = 0;
        bool first_event = true;
        const auto event = [&](char type, FrameId frame, std::int64_t at_ns) {
            text(first_event ? "\n{\"type\":\"" : ",\n{\"type\":\"");
            first_event = false;
            out_.buffer().push_back(type);
            text("\",\"frame\":");
            integer(frame);
            text(",\"at\":");
            text(at_text(at_ns));
            text("}");
            end_ns = std::max(end_ns, at_ns);
            out_.pause();
        };
        ThreadId open_thread = kNone;
        const auto close = [&] {
            if (open_thread != kNone) {
                text("]");
                end_profile(at_text(start_ns), at_text(end_ns));
            }
        };
        walk_spans(
            profile_,
            [&](ThreadId thread, std::int64_t begin_ns) {
                close();
                open_thread = thread;
                start_ns = end_ns = begin_ns;
                first_event = true;
                begin_profile(thread, "evented", is_time ? "nanoseconds" : unit_of(weights.type));
                text(",\"events\":[");
            },
            [&](std::uint32_t span, std::int64_t at_ns) { event('O', span_frames_[span], at_ns); },
            [&](std::uint32_t span, std::int64_t at_ns) { event('C', span_frames_[span], at_ns); });
        close();
    }

    static std::string_view unit_of(const ValueType& type) {
        static constexpr std::string_view kUnits[] = {"nanoseconds", "microseconds", "milliseconds",
                                                      "seconds", "bytes"};
        const auto* known = std::find(std::begin(kUnits), std::end(kUnits), type.unit);
        return known == std::end(kUnits) ? "none" : *known;
    }

    void write_samples(std::size_t value) {
        StackList stacks(profile_);
        for (ThreadId thread = 0; thread < profile_.threads.size(); ++thread) {
            std::string weights;
            double sum = 0;
            bool is_first = true;
            for (std::size_t sample = 0; sample < profile_.samples.size(); ++sample) {
                const double weight = profile_.values_of(sample)[value];
                if (profile_.samples[sample].thread != thread || !std::isfinite(weight)) {
                    continue;
                }
                if (is_first) {
                    begin_profile(thread, "sampled", unit_of(profile_.value_types[value]));
                    text(",\"samples\":[");
                }
                text(is_first ? "\n[" : ",\n[");
                bool first_frame = true;
                for (const FrameId frame : stacks.frames(profile_.samples[sample].node)) {
                    if (!first_frame) {
                        text(",");
                    }
                    first_frame = false;
                    integer(frame);
                }
                text("]");
                weights += is_first ? "" : ",";
                weights += format_double(weight);
                sum += weight;
                is_first = false;
                out_.pause();
            }
            if (!is_first) {
                text("],\"weights\":[");
                text(weights);
                text("]");
                end_profile("0", format_double(sum));
            }
        }
    }

    Profile& profile_;
    Output& out_;
    const WriteOptions& options_;
    std::vector<FrameId> span_frames_;
    bool is_first_ = true;
};

}  // namespace

Result<void> write_speedscope(Profile& profile, Output& out, const WriteOptions& options) {
    return SpeedscopeWriter(profile, out, options).write();
}

}  // namespace taffrail::profile
