// Which operator was called from which, by the nesting of times on a thread, and what each launched
// on a device. Nodes stand before their children: a loop from the end sums up.
#pragma once

#include "profile/analysis/events.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile::analysis {

struct OperatorNode {
    EventNumber event = 0;
    std::uint32_t parent = kNone;
    std::uint32_t stack = 0;  ///< number of the Python stack it was called from; 0 = not known
    std::int64_t host_self_ns = 0;
    std::int64_t device_total_ns = 0, device_self_ns = 0;
    std::int64_t tensor_core_total_ns = 0, tensor_core_self_ns = 0;
    std::int64_t kernel_self_ns = 0;  ///< of device_self_ns, without copies
    bool is_eligible = false;         ///< for Tensor Cores, itself or one below
    bool has_eligible_below = false;
    bool is_merged = false;  ///< into its parent of the same name
};

struct OperatorTree {
    std::vector<OperatorNode> nodes;
    std::vector<std::uint32_t> first_node;     ///< by thread; one more than there are threads
    std::vector<std::uint32_t> node_of;        ///< by event: its node, or kNone
    std::vector<std::uint32_t> owner_of_call;  ///< by place in Events::calls: a node, or kNone
    CallTree python;                           ///< stacks of Python functions; frames are texts

    std::vector<std::uint32_t> stands_in;  ///< by node: itself, or the one it was merged into

    /// Where a node counts; kNone stays kNone.
    [[nodiscard]] std::uint32_t standing(std::uint32_t node) const noexcept {
        return node == kNone ? kNone : stands_in[node];
    }
};

OperatorTree build_operator_tree(const Events& events);

/// Goes along a thread: which node encloses a time. Asked with begins that never go back.
class NodeWalk {
  public:
    NodeWalk(const Events& events, const OperatorTree& tree, ThreadNumber thread)
        : events_(events),
          tree_(tree),
          next_(tree.first_node[thread]),
          end_(tree.first_node[thread + 1]) {}

    /// The innermost node that has begun at `begin_ns` and ends at `end_ns` or later; one that ends
    /// at `begin_ns` is over. kNone where none does.
    std::uint32_t enclosing(std::int64_t begin_ns, std::int64_t end_ns);

  private:
    const Events& events_;
    const OperatorTree& tree_;
    std::uint32_t next_, end_;
    std::vector<std::uint32_t> open_;
};

}  // namespace taffrail::profile::analysis
