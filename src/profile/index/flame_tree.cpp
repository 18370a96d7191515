#include "profile/index/flame_tree.h"

#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"

#include <algorithm>
#include <numeric>

namespace taffrail::profile {
namespace {

/// The tree by titles, and for each node of the profile's own tree the one it became.
class TitledStacks {
  public:
    explicit TitledStacks(Profile& profile)
        : profile_(profile),
          titles_(profile.frames.size(), kNone),
          known_(profile.tree.size(), kNone) {
        known_[kRoot] = kRoot;
        depth_.push_back(0);
    }

    NodeId of(NodeId node) {
        path_.clear();
        for (; known_[node] == kNone; node = profile_.tree.parent(node)) {
            path_.push_back(node);
        }
        NodeId at = known_[node];
        for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
            if (depth_[at] < kMaxFlameDepth) {
                TextId& title = titles_[profile_.tree.frame(*step)];
                if (title == kNone) {
                    title = profile_.text(frame_title(profile_, profile_.tree.frame(*step)));
                }
                const NodeId parent = at;
                at = tree.child(parent, title);
                if (at == depth_.size()) {
                    depth_.push_back(depth_[parent] + 1);
                }
            } else {
                ++folded;
            }
            known_[*step] = at;
        }
        return at;
    }

    CallTree tree;  ///< its frames are texts
    std::uint64_t folded = 0;

  private:
    Profile& profile_;
    std::vector<TextId> titles_;
    std::vector<NodeId> known_, path_;
    std::vector<std::uint32_t> depth_;
};

/// Nodes in preorder, siblings by title.
std::vector<NodeId> preorder(const CallTree& tree, const Texts& texts) {
    std::vector<std::size_t> begins(tree.size() + 1, 0);
    for (NodeId node = 1; node < tree.size(); ++node) {
        ++begins[tree.parent(node) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    std::vector<NodeId> children(tree.size());
    for (NodeId node = 1; node < tree.size(); ++node) {
        children[next[tree.parent(node)]++] = node;
    }
    const auto later = [&](NodeId left, NodeId right) {
        return texts[tree.frame(left)] > texts[tree.frame(right)];
    };
    std::vector<NodeId> order, open{kRoot};
    order.reserve(tree.size());
    while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        order.push_back(node);
        const auto first = children.begin() + static_cast<std::ptrdiff_t>(begins[node]);
        const auto last = children.begin() + static_cast<std::ptrdiff_t>(begins[node + 1]);
        std::sort(first, last, later);  // the last pushed is taken first
        open.insert(open.end(), first, last);
    }
    return order;
}

}  // namespace

FlameTree make_flame_tree(Profile& profile) {
    make_stacks(profile);
    FlameTree flame;
    TitledStacks stacks(profile);
    const std::size_t values = profile.value_types.size();
    std::vector<double> self;  // node after node here
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const NodeId node = stacks.of(profile.samples[sample].node);
        if (self.size() < stacks.tree.size() * values) {
            self.resize(stacks.tree.size() * values * 2);
        }
        const auto weights = profile.values_of(sample);
        for (std::size_t value = 0; value < values; ++value) {
            // Absurd weights have no share that could be drawn.
            if (weights[value] > 1e-200 && weights[value] < 1e290) {
                self[node * values + value] += weights[value];
            }
        }
    }
    self.resize(stacks.tree.size() * values);
    flame.folded = stacks.folded;
    const std::vector<NodeId> order = preorder(stacks.tree, profile.texts);
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t at = 0; at < order.size(); ++at) {
        place[order[at]] = at;
    }
    const std::size_t nodes = order.size();
    flame.parent.resize(nodes);
    flame.end.resize(nodes);
    flame.title.resize(nodes);
    flame.self.resize(nodes * values);
    for (std::uint32_t at = 0; at < nodes; ++at) {
        const NodeId node = order[at];
        flame.parent[at] = node == kRoot ? kNone : place[stacks.tree.parent(node)];
        flame.title[at] = node == kRoot ? 0 : stacks.tree.frame(node);
        flame.end[at] = at + 1;
    }
    for (std::size_t value = 0; value < values; ++value) {
        ValueType type = profile.value_types[value];
        const auto ns = nanoseconds_per(type.unit);
        if (ns) {
            type.unit = "nanoseconds";
        }
        for (std::uint32_t at = 0; at < nodes; ++at) {
            flame.self[value * nodes + at] = self[order[at] * values + value] * ns.value_or(1);
        }
        flame.types.push_back(std::move(type));
    }
    flame.total = flame.self;
    for (std::size_t at = nodes; at-- > 1;) {
        const std::uint32_t parent = flame.parent[at];
        flame.end[parent] = std::max(flame.end[parent], flame.end[at]);
        for (std::size_t value = 0; value < values; ++value) {
            flame.total[value * nodes + parent] += flame.total[value * nodes + at];
        }
    }
    const std::size_t main = main_value(profile);
    flame.main_type = main == kNone ? 0 : main;
    return flame;
}

}  // namespace taffrail::profile
