#include "zones/to_profile.h"

#include <array>

namespace taffrail::zones {

namespace {

void add(const Branch& branch, profile::NodeId above, double seconds_per_tick,
         profile::Profile& to) {
    const profile::NodeId node =
        branch.name.empty() ? above
                            : to.tree.child(above, to.frame(branch.name, branch.file, branch.line));
    if (!branch.name.empty() && !branch.unused()) {
        const std::array values = {static_cast<double>(branch.sums.calls),
                                   static_cast<double>(branch.self()) * seconds_per_tick * 1e9};
        to.add_sample({.node = node, .thread = to.only_thread()}, values);
    }
    for (const auto& child : branch.children) {  // at most 128 deep
        add(*child, node, seconds_per_tick, to);
    }
}

void add_named(const Branch& branch, std::string_view name, double seconds_per_tick,
               profile::Profile& to) {
    for (const auto& child : branch.children) {
        if (child->name == name) {
            add(*child, profile::kRoot, seconds_per_tick, to);
        } else {
            add_named(*child, name, seconds_per_tick, to);
        }
    }
}

void declare_values(profile::Profile& to) {
    to.value_type("calls", "count");
    to.value_type("time", "nanoseconds");
}

}  // namespace

void add_stacks(const Branch& branch, double seconds_per_tick, profile::Profile& to) {
    declare_values(to);
    add(branch, profile::kRoot, seconds_per_tick, to);
}

profile::Profile profile_of_action(const Snapshot& snapshot, std::string_view name) {
    profile::Profile made;
    made.name = name;
    declare_values(made);
    add_named(snapshot.root, name, snapshot.seconds_per_tick, made);
    return made;
}

profile::Profile profile_of_zones(const Snapshot& snapshot) {
    profile::Profile made;
    made.name = "zones";
    add_stacks(snapshot.root, snapshot.seconds_per_tick, made);
    return made;
}

}  // namespace taffrail::zones
