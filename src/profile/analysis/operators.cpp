// The table of operators: by name, by name and shapes of inputs, and where each was called from.
#include "profile/analysis/look.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

constexpr std::size_t kMostStacks = 16;

template <typename Row>
void add_call(Row& row, const Event& event, const OperatorNode& node) {
    ++row.calls;
    add_to(row.host_total_ns, event.duration_ns());
    add_to(row.host_self_ns, node.host_self_ns);
    add_to(row.device_total_ns, node.device_total_ns);
    add_to(row.device_self_ns, node.device_self_ns);
}

void add_operator(OperatorRow& row, const Event& event, const OperatorNode& node) {
    add_call(row, event, node);
    add_to(row.tensor_core_self_ns, node.tensor_core_self_ns);
    add_to(row.tensor_core_total_ns, node.tensor_core_total_ns);
    row.is_tensor_core_eligible |= node.is_eligible;
}

void sort_rows(std::vector<OperatorRow>& rows) {
    std::sort(rows.begin(), rows.end(), [](const OperatorRow& left, const OperatorRow& right) {
        if (left.host_self_ns != right.host_self_ns) {
            return left.host_self_ns > right.host_self_ns;
        }
        return left.name != right.name ? left.name < right.name : left.shapes < right.shapes;
    });
}

/// "a;b;c" of older traces, innermost first already.
std::string lines_of(const RawString& raw) {
    std::string buffer;
    std::string lines(unescape(raw, buffer));
    std::replace(lines.begin(), lines.end(), ';', '\n');
    return lines;
}

std::string lines_of(const Profile& profile, const CallTree& python, NodeId stack) {
    std::string lines;
    for (; stack != kRoot; stack = python.parent(stack)) {
        lines += lines.empty() ? "" : "\n";
        lines += profile.texts[python.frame(stack)];
    }
    return lines;
}

/// Stacks of one operator: by the text of older traces, else by number.
struct Stacks {
    std::unordered_map<std::string_view, StackRow> by_text;
    std::unordered_map<NodeId, StackRow> by_number;
};

std::vector<StackRow> longest(const Look& look, Stacks&& stacks) {
    std::vector<StackRow> rows;
    for (auto& [text, row] : stacks.by_text) {
        row.stack = lines_of({text, false});
        rows.push_back(std::move(row));
    }
    for (auto& [number, row] : stacks.by_number) {
        row.stack = lines_of(*look.events.profile, look.tree.python, number);
        rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const StackRow& left, const StackRow& right) {
        return left.host_total_ns != right.host_total_ns ? left.host_total_ns > right.host_total_ns
                                                         : left.stack < right.stack;
    });
    rows.resize(std::min(rows.size(), kMostStacks));
    return rows;
}

}  // namespace

void look_at_operators(const Look& look, Analysis& to) {
    const Events& events = look.events;
    std::unordered_map<TextId, OperatorRow> by_name;
    std::unordered_map<TextId, Stacks> stacks;
    std::map<std::pair<TextId, std::string_view>, OperatorRow> by_shape;
    for (const OperatorNode& node : look.tree.nodes) {
        const Event& event = events.all[node.event];
        if (node.is_merged || !event.is_operator()) {
            continue;
        }
        const EventArgs args = scan_args(events.args(event));
        add_operator(by_name[event.name], event, node);
        add_operator(by_shape[{event.name, args.shapes.empty() ? "[]" : args.shapes}], event, node);
        if (!args.call_stack.text.empty()) {
            add_call(stacks[event.name].by_text[args.call_stack.text], event, node);
        } else if (node.stack != kRoot) {
            add_call(stacks[event.name].by_number[node.stack], event, node);
        }
    }
    for (auto& [name, row] : by_name) {
        row.name = events.profile->texts[name];
        if (const auto found = stacks.find(name); found != stacks.end()) {
            row.stacks = longest(look, std::move(found->second));
        }
        to.operators.push_back(std::move(row));
    }
    for (auto& [key, row] : by_shape) {
        row.name = events.profile->texts[key.first];
        row.shapes = key.second;
        to.operators_by_shape.push_back(std::move(row));
    }
    sort_rows(to.operators);
    sort_rows(to.operators_by_shape);
}

}  // namespace taffrail::profile::analysis
