// Stacks as a tree: a stack is the number of its last frame's node, and equal stacks are one node.
#pragma once

#include "profile/id_table.h"
#include "profile/texts.h"

#include <cstdint>
#include <vector>

namespace taffrail::profile {

using FrameId = std::uint32_t;
using NodeId = std::uint32_t;

inline constexpr std::uint32_t kNone = UINT32_MAX;
/// The node above all others; it has no frame.
inline constexpr NodeId kRoot = 0;

/// A function or zone, and where it stands. Equal frames have one number.
struct Frame {
    TextId name = 0, file = 0;
    std::uint32_t line = 0, column = 0;  ///< 0 = not known

    friend bool operator==(const Frame&, const Frame&) = default;
};

class Frames {
  public:
    FrameId id(const Frame& frame);

    [[nodiscard]] const Frame& operator[](FrameId id) const noexcept { return frames_[id]; }

    [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }

  private:
    static std::uint64_t hash(const Frame& frame) noexcept;

    std::vector<Frame> frames_;
    IdTable table_;
};

class CallTree {
  public:
    CallTree() : nodes_(1) {}

    /// The node of `frame` called from `parent`, made when it is new. Parents have lower numbers
    /// than their children, so a loop from the end to the beginning sums up without recursion.
    NodeId child(NodeId parent, FrameId frame);

    [[nodiscard]] NodeId parent(NodeId node) const noexcept { return nodes_[node].parent; }

    /// kNone for the root.
    [[nodiscard]] FrameId frame(NodeId node) const noexcept { return nodes_[node].frame; }

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

    /// The frames of a stack, outermost first, into `frames`.
    void stack(NodeId node, std::vector<FrameId>& frames) const;

  private:
    struct Node {
        NodeId parent = kNone;
        FrameId frame = kNone;
    };

    static std::uint64_t hash(const Node& node) noexcept {
        return mix(static_cast<std::uint64_t>(node.parent) << 32 | node.frame);
    }

    std::vector<Node> nodes_;
    IdTable table_;
};

}  // namespace taffrail::profile
