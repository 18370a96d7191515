#include "profile/analysis/operator_tree.h"

#include <algorithm>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

bool is_node(const Event& event) noexcept {
    switch (event.kind) {
        case Kind::Operator:
        case Kind::Python:
        case Kind::Step:
        case Kind::Module:
            return true;
        case Kind::Annotation:
            return event.is(kIsLoader) || event.is(kIsCollective) || event.is(kIsNoOperator);
        default:
            return false;
    }
}

/// The events of one thread, outer ones first, with the Python functions between them.
void nest_thread(const Events& events, const std::vector<EventNumber>& numbers,
                 OperatorTree& tree) {
    struct Open {
        std::int64_t end_ns;
        std::uint32_t node;
    };

    struct OpenFunction {
        std::int64_t end_ns;
        NodeId stack;
    };

    std::vector<Open> open;
    std::vector<OpenFunction> functions;
    for (const EventNumber number : numbers) {
        const Event& event = events.all[number];
        while (!functions.empty() && functions.back().end_ns <= event.begin_ns) {
            functions.pop_back();
        }
        const NodeId stack = functions.empty() ? kRoot : functions.back().stack;
        if (event.kind == Kind::Function || event.kind == Kind::Module) {
            functions.push_back({event.end_ns, tree.python.child(stack, event.name)});
        }
        if (!is_node(event)) {
            continue;
        }
        while (!open.empty() && open.back().end_ns <= event.begin_ns) {
            open.pop_back();
        }
        if (!open.empty() && open.back().end_ns < event.end_ns) {
            continue;  // neither inside nor behind: no call can be like that
        }
        const auto node = static_cast<std::uint32_t>(tree.nodes.size());
        tree.nodes.push_back({.event = number,
                              .parent = open.empty() ? kNone : open.back().node,
                              .stack = stack,
                              .host_self_ns = event.duration_ns(),
                              .is_eligible = event.is(kIsTensorCoreOperator)});
        tree.node_of[number] = node;
        open.push_back({event.end_ns, node});
    }
}

/// An operator whose only child has its name is one call seen twice.
void merge_repeated(const Events& events, OperatorTree& tree) {
    std::vector<std::uint32_t> children(tree.nodes.size());
    for (const OperatorNode& node : tree.nodes) {
        if (node.parent != kNone) {
            ++children[node.parent];
        }
    }
    for (std::uint32_t index = 0; index < tree.nodes.size(); ++index) {
        OperatorNode& node = tree.nodes[index];
        tree.stands_in.push_back(index);
        if (node.parent == kNone || children[node.parent] != 1) {
            continue;
        }
        const Event& event = events.all[node.event];
        const Event& above = events.all[tree.nodes[node.parent].event];
        node.is_merged = event.kind == Kind::Operator && above.kind == Kind::Operator &&
                         event.name == above.name;
        if (node.is_merged) {
            tree.stands_in[index] = tree.stands_in[node.parent];
        }
    }
}

void find_owners(const Events& events, OperatorTree& tree) {
    std::unordered_map<std::int64_t, std::uint32_t> by_external;
    for (std::uint32_t index = 0; index < tree.nodes.size(); ++index) {
        const Event& event = events.all[tree.nodes[index].event];
        if (event.external != kAbsent && event.external != 0 && event.kind != Kind::Module) {
            by_external.try_emplace(event.external, index);
        }
    }
    std::vector<NodeWalk> walks;
    for (ThreadNumber thread = 0; thread < events.threads; ++thread) {
        walks.emplace_back(events, tree, thread);
    }
    tree.owner_of_call.reserve(events.calls.size());
    for (const EventNumber number : events.calls) {
        const Event& call = events.all[number];
        std::uint32_t owner = kNone;
        if (call.external == kAbsent) {
            owner = walks[call.thread].enclosing(call.begin_ns, call.end_ns);
        } else if (const auto found = by_external.find(call.external); found != by_external.end()) {
            owner = found->second;
        }
        tree.owner_of_call.push_back(tree.standing(owner));
    }
}

void sum_times(const Events& events, OperatorTree& tree) {
    for (std::size_t place = 0; place < events.calls.size(); ++place) {
        if (tree.owner_of_call[place] == kNone) {
            continue;
        }
        OperatorNode& node = tree.nodes[tree.owner_of_call[place]];
        const bool is_operator = events.all[node.event].kind == Kind::Operator;
        take_from(node.host_self_ns, events.all[events.calls[place]].duration_ns());
        for (const EventNumber number : events.launches[place]) {
            const Event& launched = events.all[number];
            add_to(node.device_self_ns, launched.duration_ns());
            if (launched.kind == Kind::Kernel) {
                add_to(node.kernel_self_ns, launched.duration_ns());
            }
            if (launched.is(kIsTensorCoreKernel)) {
                add_to(node.tensor_core_self_ns, launched.duration_ns());
                node.is_eligible |= is_operator && launched.duration_ns() > 0;
            }
        }
    }
    for (std::size_t index = tree.nodes.size(); index-- > 0;) {
        OperatorNode& node = tree.nodes[index];
        if (node.is_merged) {
            continue;
        }
        add_to(node.device_total_ns, node.device_self_ns);
        add_to(node.tensor_core_total_ns, node.tensor_core_self_ns);
        const std::uint32_t above = tree.standing(node.parent);
        if (above == kNone) {
            continue;
        }
        OperatorNode& parent = tree.nodes[above];
        take_from(parent.host_self_ns, events.all[node.event].duration_ns());
        add_to(parent.device_total_ns, node.device_total_ns);
        add_to(parent.tensor_core_total_ns, node.tensor_core_total_ns);
        parent.has_eligible_below |= node.is_eligible || node.has_eligible_below;
        if (events.all[parent.event].kind == Kind::Operator) {
            parent.is_eligible |= node.is_eligible;
        }
    }
}

}  // namespace

std::uint32_t NodeWalk::enclosing(std::int64_t begin_ns, std::int64_t end_ns) {
    const auto end_of = [&](std::uint32_t node) {
        return events_.all[tree_.nodes[node].event].end_ns;
    };
    for (; next_ < end_ && events_.all[tree_.nodes[next_].event].begin_ns <= begin_ns; ++next_) {
        while (!open_.empty() && open_.back() != tree_.nodes[next_].parent) {
            open_.pop_back();
        }
        open_.push_back(next_);
    }
    while (!open_.empty() && end_of(open_.back()) <= begin_ns) {
        open_.pop_back();
    }
    // Inner ones end no later than those around them.
    const auto found = std::partition_point(
        open_.begin(), open_.end(), [&](std::uint32_t node) { return end_of(node) >= end_ns; });
    return found == open_.begin() ? kNone : *(found - 1);
}

OperatorTree build_operator_tree(const Events& events) {
    OperatorTree tree;
    std::vector<std::vector<EventNumber>> by_thread(events.threads);
    for (EventNumber number = 0; number < events.all.size(); ++number) {
        const Event& event = events.all[number];
        if (is_node(event) || event.kind == Kind::Function) {
            by_thread[event.thread].push_back(number);
        }
    }
    tree.node_of.assign(events.all.size(), kNone);
    for (std::vector<EventNumber>& numbers : by_thread) {
        std::stable_sort(numbers.begin(), numbers.end(), [&](EventNumber left, EventNumber right) {
            const Event &one = events.all[left], &other = events.all[right];
            return one.begin_ns != other.begin_ns ? one.begin_ns < other.begin_ns
                                                  : one.end_ns > other.end_ns;
        });
        tree.first_node.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
        nest_thread(events, numbers, tree);
    }
    tree.first_node.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
    merge_repeated(events, tree);
    find_owners(events, tree);
    sum_times(events, tree);
    return tree;
}

}  // namespace taffrail::profile::analysis
