// The stacks of a profile as one tree in preorder: a flame graph, an icicle and a sunburst are
// three drawings of it.
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile {

/// Frames that read alike are one node. Node 0 is the root; the nodes below node i are those from
/// i + 1 up to, not including, `end[i]`.
struct FlameTree {
    std::vector<std::uint32_t> parent, end, title;
    std::vector<ValueType> types;     ///< times are nanoseconds
    std::vector<double> total, self;  ///< value after value, one for each node
    std::size_t main_type = 0;
    std::uint64_t folded = 0;  ///< weights of stacks deeper than the limit, counted at the limit

    [[nodiscard]] std::size_t size() const noexcept { return parent.size(); }
};

inline constexpr std::uint32_t kMaxFlameDepth = 1024;

/// Siblings stand in alphabetical order, so that two profiles compare. Adds titles to the texts.
FlameTree make_flame_tree(Profile& profile);

}  // namespace taffrail::profile
