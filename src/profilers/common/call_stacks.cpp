#include "profilers/common/call_stacks.h"

#include "codec/json_writer.h"
#include "profile/enclosing.h"
#include "profile/span_walk.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::profilers {
namespace {

using Places = std::map<std::string, std::string, std::less<>>;

/// A stack of zones is at most 128 deep, and so is the tree of their names.
void find_places(const zones::Branch& branch, Places& to) {
    if (!branch.name.empty() && *branch.file != '\0') {
        to.try_emplace(branch.name,
                       std::string(branch.file) + "(" + std::to_string(branch.line) + "): ");
    }
    for (const auto& child : branch.children) {
        find_places(*child, to);
    }
}

}  // namespace

void add_call_stacks(const zones::Snapshot& snapshot, profile::Profile& trace) {
    Places places;
    find_places(snapshot.root, places);
    const profile::TextId category = trace.text("cpu_op");
    // The same stack comes again in every step: made once, as a text.
    std::map<std::pair<profile::TextId, profile::TextId>, profile::TextId> known;
    std::unordered_map<std::uint32_t, profile::TextId> stack_of;
    std::vector<profile::TextId> open = {0};
    profile::walk_spans(
        trace, [](profile::ThreadId, std::int64_t) {},
        [&](std::uint32_t index, std::int64_t) {
            const profile::Span& span = trace.spans[index];
            if (span.category != category) {
                open.push_back(open.back());
                return;
            }
            profile::TextId& stack = known[{open.back(), span.name}];
            if (stack == 0) {
                const std::string name(trace.texts[span.name]);
                const auto place = places.find(name);
                std::string text = (place == places.end() ? "" : place->second) + name;
                if (open.back() != 0) {
                    text.append(";").append(trace.texts[open.back()]);
                }
                stack = trace.text(text);
            }
            stack_of[index] = stack;
            open.push_back(stack);
        },
        [&](std::uint32_t, std::int64_t) { open.pop_back(); });
    for (std::uint32_t index = 0; index < trace.spans.size(); ++index) {
        if (const auto found = stack_of.find(index); found != stack_of.end()) {
            std::string json;
            append_json_string(json, trace.texts[found->second]);
            profile::add_member(trace, trace.spans[index], "Call stack", json);
        }
    }
}

}  // namespace taffrail::profilers
