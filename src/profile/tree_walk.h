// Walks a call tree from the roots down, entering and leaving every node, without recursion.
#pragma once

#include "profile/call_tree.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile {

/// Children of every node as linked lists, in the order in which they were made.
class TreeLinks {
  public:
    explicit TreeLinks(const CallTree& tree)
        : first_(tree.size(), kNone), next_(tree.size(), kNone) {
        for (auto node = static_cast<NodeId>(tree.size() - 1); node > 0; --node) {
            const NodeId parent = tree.parent(node);
            next_[node] = first_[parent];
            first_[parent] = node;
        }
    }

    [[nodiscard]] NodeId first_child(NodeId node) const noexcept { return first_[node]; }

    [[nodiscard]] NodeId next_sibling(NodeId node) const noexcept { return next_[node]; }

    /// Calls enter(node) and leave(node) for everything below the root.
    template <typename Enter, typename Leave>
    void walk(const CallTree& tree, Enter&& enter, Leave&& leave) const {
        NodeId node = first_[kRoot];
        while (node != kNone) {
            enter(node);
            if (first_[node] != kNone) {
                node = first_[node];
                continue;
            }
            leave(node);
            while (next_[node] == kNone) {
                node = tree.parent(node);
                if (node == kRoot) {
                    return;
                }
                leave(node);
            }
            node = next_[node];
        }
    }

  private:
    std::vector<NodeId> first_, next_;
};

}  // namespace taffrail::profile
