// Finding names, and the part of the flame tree that can be seen.
#include "base/strings.h"
#include "profile/call_tree.h"
#include "profile/index/trace_index.h"

#include <algorithm>
#include <limits>

namespace taffrail::profile {
namespace {

char lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

}  // namespace

bool contains_ignoring_case(std::string_view text, std::string_view words) noexcept {
    return std::search(text.begin(), text.end(), words.begin(), words.end(),
                       [](char a, char b) { return lower(a) == b; }) != text.end() ||
           words.empty();
}

std::vector<bool> TraceIndex::matching(std::string_view words) const {
    const std::string wanted = to_lower(words);
    std::vector<bool> matches(text_ends_.size());
    for (std::uint32_t id = 0; id < matches.size(); ++id) {
        matches[id] = !wanted.empty() && contains_ignoring_case(text(id), wanted);
    }
    return matches;
}

SearchAnswer TraceIndex::search(std::string_view words, std::int64_t at_ns) const {
    SearchAnswer answer;
    const std::vector<bool> matches = matching(words);
    std::vector<FoundName> names(matches.size());
    std::int64_t next_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t previous_ns = std::numeric_limits<std::int64_t>::min();
    for (std::size_t at = 0; at < slices(); ++at) {
        if (name_[at] >= matches.size() || !matches[name_[at]]) {
            continue;
        }
        FoundName& name = names[name_[at]];
        ++name.count;
        name.total_ns += static_cast<std::uint64_t>(duration_[at]);
        if (begin_[at] > at_ns && begin_[at] < next_ns) {
            next_ns = begin_[at];
            answer.next = static_cast<std::int64_t>(at);
        }
        if (begin_[at] < at_ns && begin_[at] > previous_ns) {
            previous_ns = begin_[at];
            answer.previous = static_cast<std::int64_t>(at);
        }
    }
    for (std::uint32_t id = 0; id < names.size(); ++id) {
        if (names[id].count > 0) {
            names[id].name = id;
            answer.count += names[id].count;
            answer.total_ns += names[id].total_ns;
            answer.names.push_back(names[id]);
        }
    }
    std::stable_sort(
        answer.names.begin(), answer.names.end(),
        [](const FoundName& a, const FoundName& b) { return a.total_ns > b.total_ns; });
    return answer;
}

FlameAnswer TraceIndex::ask(const FlameQuestion& question) const {
    FlameAnswer answer;
    const std::size_t nodes = flame_parent_.size();
    if (question.root >= nodes || question.value >= values_) {
        return answer;
    }
    const auto total = flame_total_.subspan(question.value * nodes, nodes);
    const auto self = flame_self_.subspan(question.value * nodes, nodes);
    const double least = std::max(total[question.root] * question.least_share, 0.0);
    std::vector<double> next;  // where the next child of each open depth begins
    std::vector<std::uint32_t> open;
    for (std::uint32_t node = question.root;
         node < std::min<std::size_t>(flame_end_[question.root], nodes);) {
        while (!open.empty() && node >= flame_end_[open.back()]) {
            open.pop_back();
            next.pop_back();
        }
        const auto depth = static_cast<std::uint32_t>(open.size());
        const std::uint32_t end = std::max(flame_end_[node], node + 1);
        const double begin = next.empty() ? 0 : next.back();
        if (!next.empty()) {
            next.back() += total[node];
        }
        if (depth > question.depth || !(total[node] > 0) || total[node] < least ||
            answer.node.size() >= question.most) {
            answer.left_out += end - node;
            node = end;
            continue;
        }
        answer.node.push_back(node);
        answer.depth.push_back(depth);
        answer.title.push_back(flame_title_[node]);
        answer.begin.push_back(begin);
        answer.total.push_back(total[node]);
        answer.self.push_back(self[node]);
        open.push_back(node);
        next.push_back(begin);
        ++node;
    }
    if (!question.search.empty()) {
        const std::vector<bool> matches = matching(question.search);
        for (std::uint32_t node = question.root;
             node < std::min<std::size_t>(flame_end_[question.root], nodes);) {
            // What is below a frame that matches is in its total already.
            if (flame_title_[node] < matches.size() && matches[flame_title_[node]]) {
                answer.matched += total[node];
                node = std::max(flame_end_[node], node + 1);
            } else {
                ++node;
            }
        }
    }
    return answer;
}

std::vector<std::uint32_t> TraceIndex::flame_path(std::uint32_t node) const {
    std::vector<std::uint32_t> path;
    while (node < flame_parent_.size() && path.size() < flame_parent_.size()) {
        path.push_back(node);
        node = flame_parent_[node];
    }
    std::reverse(path.begin(), path.end());
    return path;
}

}  // namespace taffrail::profile
