#include "profile/boundaries.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace taffrail::profile {
namespace {

/// Ordinary spans nest per thread; async ones belong together by category and id.
auto group_of(const Boundary& boundary) {
    return std::make_tuple(boundary.async_id, boundary.async_id != 0 ? boundary.category : 0,
                           boundary.async_id != 0 ? 0 : boundary.thread);
}

}  // namespace

void Boundaries::finish() {
    if (all_.empty()) {
        return;
    }
    std::stable_sort(all_.begin(), all_.end(), [](const Boundary& left, const Boundary& right) {
        const auto left_group = group_of(left), right_group = group_of(right);
        return left_group != right_group ? left_group < right_group : left.time_ns < right.time_ns;
    });
    std::vector<std::int64_t> last_ns(profile_.threads.size(), kNoTime);
    for (const Span& span : profile_.spans) {
        last_ns[span.thread] = std::max(last_ns[span.thread], span.begin_ns + span.duration_ns);
    }
    for (const Boundary& boundary : all_) {
        last_ns[boundary.thread] = std::max(last_ns[boundary.thread], boundary.time_ns);
    }
    for (std::size_t from = 0; from < all_.size();) {
        std::size_t to = from;
        while (to < all_.size() && group_of(all_[to]) == group_of(all_[from])) {
            ++to;
        }
        match_group(from, to, last_ns[all_[from].thread]);
        from = to;
    }
    all_.clear();
}

void Boundaries::match_group(std::size_t from, std::size_t to, std::int64_t last_ns) {
    // Spans are added where they begin: of two that last equally long the outer one comes first.
    std::vector<std::size_t> open;
    for (std::size_t index = from; index < to; ++index) {
        const Boundary& it = all_[index];
        if (it.is_begin) {
            open.push_back(profile_.spans.size());
            open_span(it);
            continue;
        }
        // An end may leave its name out; one with a name ends the innermost span of that name, and
        // what was still open inside ends there too.
        std::size_t found = open.size();
        constexpr std::size_t kLook = 64;
        for (std::size_t back = open.size(); back > 0 && open.size() - back < kLook; --back) {
            if (it.name == 0 || profile_.spans[open[back - 1]].name == it.name) {
                found = back - 1;
                break;
            }
        }
        if (found == open.size()) {
            profile_.notes.add("an end without a beginning was left out", it.offset);
            continue;
        }
        while (open.size() > found + 1) {
            profile_.notes.add("a span without an end ends with the one it lies in", it.offset);
            close_span(open.back(), it.time_ns, 0, false);
            open.pop_back();
        }
        close_span(open.back(), it.time_ns, it.args, false);
        open.pop_back();
    }
    for (const std::size_t span : open) {
        profile_.notes.add("a span without an end lasts to the end of its thread");
        close_span(span, last_ns, 0, true);
    }
}

void Boundaries::open_span(const Boundary& begin) {
    profile_.spans.push_back({.begin_ns = begin.time_ns,
                              .name = begin.name,
                              .category = begin.category,
                              .thread = begin.thread,
                              .args = begin.args,
                              .async_id = begin.async_id});
}

void Boundaries::close_span(std::size_t span, std::int64_t end_ns, ArgsId end_args,
                            bool unfinished) {
    Span& it = profile_.spans[span];
    it.duration_ns = std::max<std::int64_t>(end_ns - it.begin_ns, 0);
    it.unfinished = unfinished;
    if (it.args == 0) {
        it.args = end_args;
    } else if (end_args != 0) {
        // {"a":1} and {"b":2} are the arguments of one span.
        std::string joined(profile_.args_text(it.args));
        joined.back() = ',';
        joined += profile_.args_text(end_args).substr(1);
        it.args = profile_.args(joined);
    }
}

}  // namespace taffrail::profile
