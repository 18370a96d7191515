#include "profile/enclosing.h"

#include "codec/json_writer.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace taffrail::profile {

std::vector<std::uint32_t> enclosing_spans(const Profile& profile,
                                           std::span<const Stretch> stretches, TextId category) {
    const auto end_of = [&](std::uint32_t span) {
        return profile.spans[span].begin_ns + profile.spans[span].duration_ns;
    };
    std::vector<std::uint32_t> spans;
    for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
        if (profile.spans[index].category == category && profile.spans[index].async_id == 0) {
            spans.push_back(index);
        }
    }
    // Both thread by thread and in the order of their begins, outer spans before inner ones: those
    // that are open at a moment lie on a stack.
    std::sort(spans.begin(), spans.end(), [&](std::uint32_t left, std::uint32_t right) {
        const Span &one = profile.spans[left], &other = profile.spans[right];
        return one.thread != other.thread       ? one.thread < other.thread
               : one.begin_ns != other.begin_ns ? one.begin_ns < other.begin_ns
                                                : one.duration_ns > other.duration_ns;
    });
    std::vector<std::uint32_t> order(stretches.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
        const Stretch &one = stretches[left], &other = stretches[right];
        return one.thread != other.thread ? one.thread < other.thread
                                          : one.begin_ns < other.begin_ns;
    });
    std::vector<std::uint32_t> found(stretches.size(), kNone);
    std::vector<std::uint32_t> open;
    auto next = spans.begin();
    for (const std::uint32_t number : order) {
        const Stretch& stretch = stretches[number];
        for (; next != spans.end() && (profile.spans[*next].thread < stretch.thread ||
                                       (profile.spans[*next].thread == stretch.thread &&
                                        profile.spans[*next].begin_ns <= stretch.begin_ns));
             ++next) {
            while (!open.empty() &&
                   (profile.spans[open.back()].thread != profile.spans[*next].thread ||
                    end_of(open.back()) <= profile.spans[*next].begin_ns)) {
                open.pop_back();
            }
            open.push_back(*next);
        }
        // Later stretches begin later: what ends before this one begins is over for them too.
        while (!open.empty() && (profile.spans[open.back()].thread != stretch.thread ||
                                 end_of(open.back()) < stretch.begin_ns)) {
            open.pop_back();
        }
        const auto around = std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t span) {
            return end_of(span) >= stretch.end_ns;
        });
        if (around != open.rend()) {
            found[number] = *around;
        }
    }
    return found;
}

void add_member(Profile& profile, Span& span, std::string_view name, std::string_view json) {
    std::string text(profile.args_text(span.args));
    if (text.size() < 2) {
        text = "{}";
    }
    text.pop_back();
    if (text.size() > 1) {
        text.push_back(',');
    }
    append_json_string(text, name);
    text.append(":").append(json).append("}");
    span.args = profile.args(text);
}

}  // namespace taffrail::profile
