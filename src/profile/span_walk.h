// Walks over a timeline as begins and ends that nest strictly, thread after thread: what formats of
// opened and closed frames want.
#pragma once

#include "profile/span_stacks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taffrail::profile {

/// The frame of every span, made where it is new.
std::vector<FrameId> frames_of_spans(Profile& profile);

/// Calls start(thread, first time), open(span, time) and close(span, time); times never go back
/// within a thread. A span that ends after the one it began in is cut there. Async spans are left
/// out.
template <typename Start, typename Open, typename Close>
void walk_spans(const Profile& profile, Start&& start, Open&& open, Close&& close) {
    struct OpenSpan {
        std::int64_t end_ns;
        std::uint32_t span;
    };

    std::vector<OpenSpan> stack;
    ThreadId thread = kNone;
    const auto close_until = [&](std::int64_t time_ns) {
        while (!stack.empty() && stack.back().end_ns <= time_ns) {
            close(stack.back().span, stack.back().end_ns);
            stack.pop_back();
        }
    };
    for (const std::uint32_t index : nesting_order(profile)) {
        const Span& span = profile.spans[index];
        if (span.thread != thread) {
            close_until(std::numeric_limits<std::int64_t>::max());
            thread = span.thread;
            start(thread, span.begin_ns);
        }
        close_until(span.begin_ns);
        std::int64_t end_ns = span.begin_ns + span.duration_ns;
        if (!stack.empty()) {
            end_ns = std::min(end_ns, stack.back().end_ns);
        }
        open(index, span.begin_ns);
        stack.push_back({end_ns, index});
    }
    close_until(std::numeric_limits<std::int64_t>::max());
}

}  // namespace taffrail::profile
