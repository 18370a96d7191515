#include "profile/call_tree.h"

#include <algorithm>

namespace taffrail::profile {

std::uint64_t Frames::hash(const Frame& frame) noexcept {
    return mix(mix(static_cast<std::uint64_t>(frame.name) << 32 | frame.file) ^
               (static_cast<std::uint64_t>(frame.line) << 32 | frame.column));
}

FrameId Frames::id(const Frame& frame) {
    return table_.find_or_make(
        hash(frame), [&](std::uint32_t known) { return frames_[known] == frame; },
        [&] {
            frames_.push_back(frame);
            return static_cast<std::uint32_t>(frames_.size() - 1);
        },
        [&](std::uint32_t known) { return hash(frames_[known]); });
}

NodeId CallTree::child(NodeId parent, FrameId frame) {
    const Node wanted{parent, frame};
    return table_.find_or_make(
        hash(wanted),
        [&](std::uint32_t known) {
            return nodes_[known].parent == parent && nodes_[known].frame == frame;
        },
        [&] {
            nodes_.push_back(wanted);
            return static_cast<std::uint32_t>(nodes_.size() - 1);
        },
        [&](std::uint32_t known) { return hash(nodes_[known]); });
}

void CallTree::stack(NodeId node, std::vector<FrameId>& frames) const {
    frames.clear();
    for (; node != kRoot && node != kNone; node = nodes_[node].parent) {
        frames.push_back(nodes_[node].frame);
    }
    std::reverse(frames.begin(), frames.end());
}

}  // namespace taffrail::profile
