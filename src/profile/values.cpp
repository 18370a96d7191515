// Which column of weights is meant, and sums over the tree.
#include "profile/derive.h"

namespace taffrail::profile {

std::size_t calls_value(const Profile& profile) {
    for (std::size_t index = 0; index < profile.value_types.size(); ++index) {
        if (profile.value_types[index].name == "calls") {
            return index;
        }
    }
    return kNone;
}

std::size_t main_value(const Profile& profile, std::string_view wanted) {
    const auto& types = profile.value_types;
    if (!wanted.empty()) {
        for (std::size_t index = 0; index < types.size(); ++index) {
            if (types[index].name == wanted || types[index].unit == wanted) {
                return index;
            }
        }
        return kNone;
    }
    for (std::size_t index = types.size(); index-- > 0;) {
        if (nanoseconds_per(types[index].unit)) {
            return index;
        }
    }
    for (std::size_t index = types.size(); index-- > 0;) {
        if (types[index].name != "calls") {
            return index;
        }
    }
    return types.empty() ? kNone : types.size() - 1;
}

std::vector<double> self_by_node(const Profile& profile, std::size_t value) {
    std::vector<double> by_node(profile.tree.size());
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        by_node[profile.samples[sample].node] += profile.values_of(sample)[value];
    }
    return by_node;
}

void sum_up(const CallTree& tree, std::vector<double>& by_node) {
    for (auto node = static_cast<NodeId>(by_node.size() - 1); node > 0; --node) {
        by_node[tree.parent(node)] += by_node[node];
    }
}

}  // namespace taffrail::profile
