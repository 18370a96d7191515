// A timeline from stacks: what a viewer of traces can show of a profile that knows no times.
#include "codec/json_writer.h"
#include "profile/derive.h"
#include "profile/span_stacks.h"

#include <cmath>
#include <limits>

namespace taffrail::profile {
namespace {

constexpr double kNsPerUnit = 1000;

/// Lays the samples of one thread end to end; frames that two neighbours share go on.
class ThreadTimeline {
  public:
    void add(Profile& profile, ThreadId thread, NodeId node, double duration_ns) {
        profile.tree.stack(node, stack_);
        std::size_t shared = 0;
        while (shared < stack_.size() && shared < open_.size() &&
               profile.tree.frame(open_[shared].node) == stack_[shared]) {
            ++shared;
        }
        close(profile, shared);
        while (open_.size() < stack_.size()) {
            const FrameId frame = stack_[open_.size()];
            open_.push_back({profile.tree.child(open_.empty() ? kRoot : open_.back().node, frame),
                             profile.spans.size()});
            const Frame where = profile.frames[frame];
            profile.spans.push_back({.begin_ns = now(),
                                     .name = where.name,
                                     .thread = thread,
                                     .args = place_args(profile, where)});
        }
        exact_ns_ += duration_ns;
    }

    void close(Profile& profile, std::size_t keep) {
        while (open_.size() > keep) {
            Span& span = profile.spans[open_.back().span];
            span.duration_ns = now() - span.begin_ns;
            open_.pop_back();
        }
    }

  private:
    [[nodiscard]] std::int64_t now() const {
        // Rounded from the exact sum, so that rounding does not add up.
        return exact_ns_ < 9.2e18 ? std::llround(exact_ns_)
                                  : std::numeric_limits<std::int64_t>::max() / 2;
    }

    static ArgsId place_args(Profile& profile, const Frame& frame) {
        if (frame.file == 0) {
            return 0;
        }
        JsonWriter json;
        json.begin_object().member("file", profile.texts[frame.file]);
        if (frame.line != 0) {
            json.member("line", frame.line);
        }
        if (frame.column != 0) {
            json.member("column", frame.column);
        }
        return profile.args(json.end_object().text());
    }

    struct OpenNode {
        NodeId node;
        std::size_t span;
    };

    std::vector<FrameId> stack_;
    std::vector<OpenNode> open_;
    double exact_ns_ = 0;
};

}  // namespace

void make_timeline(Profile& profile) {
    if (profile.has_timeline()) {
        return;
    }
    make_stacks(profile);
    const std::size_t value = main_value(profile);
    if (value == kNone || profile.samples.empty()) {
        return;
    }
    const ValueType& type = profile.value_types[value];
    const std::optional<double> time_ns = nanoseconds_per(type.unit);
    const double ns_per_unit = time_ns.value_or(kNsPerUnit);
    JsonWriter json;
    json.begin_object().member("name", type.name).member("unit", type.unit);
    json.member("nanoseconds", ns_per_unit).end_object();
    profile.metadata.emplace_back(kWeightsKey, json.text());
    if (!time_ns) {
        profile.notes.add("these weights are no times: one unit is drawn as one microsecond");
    }
    std::vector<ThreadTimeline> timelines(profile.threads.size());
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const Sample& it = profile.samples[sample];
        const double weight = profile.values_of(sample)[value] * ns_per_unit;
        if (it.node != kRoot && std::isfinite(weight) && weight >= 0) {
            timelines[it.thread].add(profile, it.thread, it.node, weight);
        }
    }
    for (ThreadTimeline& timeline : timelines) {
        timeline.close(profile, 0);
    }
}

}  // namespace taffrail::profile
