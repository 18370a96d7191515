#include "profile/stack_list.h"

#include <cmath>
#include <unordered_map>

namespace taffrail::profile {

StackList::StackList(Profile& profile, std::uint32_t max_depth) : tree_(profile.tree) {
    std::vector<std::uint32_t> depth(tree_.size());
    bool is_too_deep = false;
    for (NodeId node = 1; node < tree_.size(); ++node) {
        depth[node] = depth[tree_.parent(node)] + 1;
        is_too_deep = is_too_deep || depth[node] > max_depth;
    }
    if (!is_too_deep) {
        return;
    }
    profile.notes.add("stacks deeper than " + std::to_string(max_depth) +
                      " frames were cut there, with their weights");
    cut_.resize(tree_.size());
    for (NodeId node = 1; node < tree_.size(); ++node) {
        cut_[node] = depth[node] <= max_depth ? node : cut_[tree_.parent(node)];
    }
}

std::span<const FrameId> StackList::frames(NodeId node) {
    tree_.stack(cut(node), frames_);
    return frames_;
}

std::vector<StackWeight> stack_weights(Profile& profile, const StackList& stacks, std::size_t value,
                                       bool by_thread) {
    std::vector<StackWeight> weights;
    std::unordered_map<std::uint64_t, std::size_t> places;
    places.reserve(profile.samples.size());
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const Sample& it = profile.samples[sample];
        const double weight = profile.values_of(sample)[value];
        if (!std::isfinite(weight)) {
            profile.notes.add("a weight that is no finite number was left out");
            continue;
        }
        const NodeId node = stacks.cut(it.node);
        const ThreadId thread = by_thread ? it.thread : 0;
        const auto [place, is_new] =
            places.try_emplace(static_cast<std::uint64_t>(thread) << 32 | node, weights.size());
        if (is_new) {
            weights.push_back({node, thread, 0});
        }
        weights[place->second].weight += weight;
    }
    return weights;
}

}  // namespace taffrail::profile
