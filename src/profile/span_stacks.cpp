// Stacks from a timeline: which span lies in which, and how much of its time is its own.
#include "profile/span_stacks.h"

#include "base/strings.h"
#include "codec/json.h"
#include "profile/derive.h"
#include "profile/span_walk.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace taffrail::profile {
namespace {

struct OpenSpan {
    std::int64_t end_ns = 0;
    NodeId node = kRoot;
};

constexpr std::string_view kPlaceInArgs = "{\"file\":";

/// The file and line that our own timelines carry in the arguments; others have none there.
FrameId frame_of_span(Profile& profile, const Span& span) {
    Frame frame{span.name, 0, 0, 0};
    const std::string_view args = profile.args_text(span.args);
    if (args.starts_with(kPlaceInArgs)) {
        if (const auto json = parse_json(args); json.ok()) {
            frame.file = profile.text(json->string_or("file", ""));
            frame.line = static_cast<std::uint32_t>(json->integer_or("line", 0));
            frame.column = static_cast<std::uint32_t>(json->integer_or("column", 0));
        }
    }
    return profile.frames.id(frame);
}

/// Sums of one thread by node; emptied into samples, then used for the next.
class NodeSums {
  public:
    void add(NodeId node, double calls, double time_ns) {
        if (node >= sums_.size()) {
            sums_.resize(node + node / 2 + 16);
        }
        Sums& sums = sums_[node];
        if (!sums.is_used) {
            sums.is_used = true;
            used_.push_back(node);
        }
        sums.calls += calls;
        sums.time_ns += time_ns;
    }

    void take(Profile& profile, ThreadId thread, double ns_per_unit) {
        for (const NodeId node : used_) {
            Sums& sums = sums_[node];
            const double values[] = {sums.calls, sums.time_ns / ns_per_unit};
            profile.add_sample({.node = node, .thread = thread}, values);
            sums = {};
        }
        used_.clear();
    }

  private:
    struct Sums {
        double calls = 0, time_ns = 0;
        bool is_used = false;
    };

    std::vector<Sums> sums_;
    std::vector<NodeId> used_;
};

/// What stands behind something later is taken out, sorted by itself and merged in again: of the
/// spans of a thread that is one in hundreds, a step which is written when it ends.
template <typename Iterator, typename Before>
void sort_nearly_sorted(Iterator first, Iterator last, const Before& before) {
    std::vector<typename std::iterator_traits<Iterator>::value_type> late;
    Iterator kept = first;
    for (Iterator at = first; at != last; ++at) {
        if (kept != first && before(*at, *std::prev(kept))) {
            late.push_back(*at);
        } else {
            *kept++ = *at;
        }
    }
    std::sort(late.begin(), late.end(), before);
    std::copy(late.begin(), late.end(), kept);
    std::inplace_merge(first, kept, last, before);
}

}  // namespace

std::vector<std::uint32_t> nesting_order(const Profile& profile) {
    // Thread by thread first, keeping the order of the file: programs write the spans of a thread
    // in the order in which they begin, or nearly, and then there is nothing to sort.
    std::vector<std::size_t> begins(profile.threads.size() + 1, 0);
    for (const Span& span : profile.spans) {
        begins[span.thread + 1] += span.async_id == 0 ? 1 : 0;
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::uint32_t> order(begins.back());
    std::vector<std::size_t> next = begins;
    for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
        if (profile.spans[index].async_id == 0) {
            order[next[profile.spans[index].thread]++] = index;
        }
    }
    const auto before = [&](std::uint32_t left, std::uint32_t right) {
        const Span &a = profile.spans[left], &b = profile.spans[right];
        if (a.begin_ns != b.begin_ns) {
            return a.begin_ns < b.begin_ns;
        }
        return a.duration_ns != b.duration_ns ? a.duration_ns > b.duration_ns : left < right;
    };
    for (std::size_t thread = 0; thread < profile.threads.size(); ++thread) {
        sort_nearly_sorted(order.begin() + static_cast<std::ptrdiff_t>(begins[thread]),
                           order.begin() + static_cast<std::ptrdiff_t>(begins[thread + 1]), before);
    }
    return order;
}

std::vector<FrameId> frames_of_spans(Profile& profile) {
    std::vector<FrameId> frames;
    frames.reserve(profile.spans.size());
    for (const Span& span : profile.spans) {
        frames.push_back(frame_of_span(profile, span));
    }
    return frames;
}

SpanWeights span_weights(const Profile& profile) {
    for (const auto& [key, text] : profile.metadata) {
        if (key != kWeightsKey) {
            continue;
        }
        if (const auto json = parse_json(text); json.ok()) {
            return {{json->string_or("name", "time"), json->string_or("unit", "nanoseconds")},
                    std::clamp(json->number_or("nanoseconds", 1), 1e-9, 1e18)};
        }
    }
    return {};
}

void make_stacks_from_spans(Profile& profile) {
    const auto [type, ns_per_unit] = span_weights(profile);
    profile.value_type("calls", "count");
    profile.value_type(type.name, type.unit);
    NodeSums sums;
    std::vector<FrameId> frames;  // of names, where nothing else makes the frame
    const auto frame_of = [&](const Span& span) {
        if (profile.args_text(span.args).starts_with(kPlaceInArgs)) {
            return frame_of_span(profile, span);
        }
        if (span.name >= frames.size()) {
            frames.resize(profile.texts.size(), kNone);
        }
        FrameId& frame = frames[span.name];
        frame = frame == kNone ? profile.frames.id({span.name, 0, 0, 0}) : frame;
        return frame;
    };
    std::vector<OpenSpan> open;
    std::uint64_t overlaps = 0;
    ThreadId thread = kNone;
    for (const std::uint32_t index : nesting_order(profile)) {
        const Span& span = profile.spans[index];
        if (span.thread != thread) {
            if (thread != kNone) {
                sums.take(profile, thread, ns_per_unit);
            }
            open.clear();
            thread = span.thread;
        }
        std::int64_t end_ns = span.begin_ns + span.duration_ns;
        while (!open.empty() && open.back().end_ns <= span.begin_ns) {
            open.pop_back();
        }
        NodeId parent = kRoot;
        if (!open.empty()) {
            parent = open.back().node;
            if (end_ns > open.back().end_ns) {
                ++overlaps;
                end_ns = open.back().end_ns;
            }
        }
        const auto duration_ns = static_cast<double>(end_ns - span.begin_ns);
        if (parent != kRoot) {
            sums.add(parent, 0, -duration_ns);
        }
        const NodeId node = profile.tree.child(parent, frame_of(span));
        sums.add(node, 1, duration_ns);
        open.push_back({end_ns, node});
    }
    if (thread != kNone) {
        sums.take(profile, thread, ns_per_unit);
    }
    if (overlaps > 0) {
        profile.notes.add("a span ends after the span that it began in; stacks cut it there", 0,
                          overlaps);
    }
}

}  // namespace taffrail::profile
