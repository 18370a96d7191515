// The stacks of a profile one by one, for formats that list the frames of each.
#pragma once

#include "profile/profile.h"

#include <span>
#include <vector>

namespace taffrail::profile {

/// Stacks deeper than `max_depth` are cut there and a note says so: listing each of ten million
/// nested stacks would take the square of that.
class StackList {
  public:
    static constexpr std::uint32_t kMaxDepth = 4096;

    explicit StackList(Profile& profile, std::uint32_t max_depth = kMaxDepth);

    /// The node that stands for `node`: itself, or where its stack is cut.
    [[nodiscard]] NodeId cut(NodeId node) const noexcept {
        return cut_.empty() ? node : cut_[node];
    }

    /// Outermost first; valid until the next call.
    std::span<const FrameId> frames(NodeId node);

  private:
    const CallTree& tree_;
    std::vector<NodeId> cut_;  ///< empty when no stack is too deep
    std::vector<FrameId> frames_;
};

/// Weights of equal stacks added up, in the order of their first sample. Values that are no finite
/// numbers are left out and noted.
struct StackWeight {
    NodeId node;
    ThreadId thread;
    double weight;
};

std::vector<StackWeight> stack_weights(Profile& profile, const StackList& stacks, std::size_t value,
                                       bool by_thread);

}  // namespace taffrail::profile
