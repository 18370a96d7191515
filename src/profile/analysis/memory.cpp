// Memory: the curve of each device, its peak, the blocks, and which operators asked for them.
#include "profile/analysis/memory.h"

#include "profile/analysis/look.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

constexpr std::size_t kMostBlocks = 5'000;

struct Change {
    std::int64_t time_ns;
    ThreadNumber thread;
    MemoryArgs args;
};

/// What the changes inside one call of an operator come to.
struct NodeMemory {
    std::int64_t increase = 0, allocated = 0, allocations = 0;

    void add(const NodeMemory& other) noexcept {
        add_to(increase, other.increase);
        add_to(allocated, other.allocated);
        add_to(allocations, other.allocations);
    }
};

std::vector<Change> changes_of(const Look& look) {
    std::vector<Change> changes;
    const Profile& profile = *look.events.profile;
    for (const Instant& instant : profile.instants) {
        if (profile.texts[instant.name] == "[memory]") {
            changes.push_back({instant.time_ns, look.events.thread_numbers[instant.thread],
                               scan_memory_args(profile.args_text(instant.args))});
        }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change& left, const Change& right) {
        return left.time_ns < right.time_ns;
    });
    return changes;
}

/// One device's part of the changes.
class DeviceMemory {
  public:
    explicit DeviceMemory(MemoryOfDevice& to) : to_(to) {}

    void add(const Change& change, std::uint32_t node, std::string_view operator_name) {
        const MemoryArgs& args = change.args;
        add_to(sum_, args.bytes);
        MemoryPoint point{change.time_ns, sum_, 0};
        if (args.allocated != kAbsent) {
            to_.has_totals = true;
            point.allocated_bytes = args.allocated;
            point.reserved_bytes = std::max<std::int64_t>(args.reserved, 0);
        }
        if (point.allocated_bytes > to_.peak_allocated_bytes) {
            to_.peak_allocated_bytes = point.allocated_bytes;
            to_.peak_time_ns = change.time_ns;
        }
        to_.peak_reserved_bytes = std::max(to_.peak_reserved_bytes, point.reserved_bytes);
        to_.curve.push_back(point);
        ++(args.bytes > 0 ? to_.allocations : to_.frees);
        if (node != kNone) {
            NodeMemory& memory = by_node[node];
            add_to(memory.increase, args.bytes);
            if (args.bytes > 0) {
                add_to(memory.allocated, args.bytes);
                ++memory.allocations;
            }
        }
        if (args.address == kAbsent) {
            return;
        }
        if (args.bytes > 0) {
            open_[args.address] = to_.blocks.size();
            to_.blocks.push_back({change.time_ns, kNoTime, args.bytes, std::string(operator_name)});
        } else if (const auto found = open_.find(args.address); found != open_.end()) {
            to_.blocks[found->second].end_ns = change.time_ns;
            open_.erase(found);
        }
    }

    std::unordered_map<std::uint32_t, NodeMemory> by_node;

  private:
    MemoryOfDevice& to_;
    std::int64_t sum_ = 0;
    std::unordered_map<std::int64_t, std::size_t> open_;
};

/// Sums over the calls of each operator, itself and what it called.
std::vector<MemoryOfOperator> by_operator(
    const Look& look, const std::unordered_map<std::uint32_t, NodeMemory>& by_node) {
    std::vector<NodeMemory> self(look.tree.nodes.size()), total(look.tree.nodes.size());
    for (const auto& [node, memory] : by_node) {
        self[node].add(memory);
    }
    std::map<TextId, MemoryOfOperator> rows;
    for (std::size_t index = look.tree.nodes.size(); index-- > 0;) {
        const OperatorNode& node = look.tree.nodes[index];
        total[index].add(self[index]);
        if (node.parent != kNone) {
            total[node.parent].add(total[index]);
        }
        const Event& event = look.events.all[node.event];
        if (node.is_merged || !event.is_operator()) {
            continue;
        }
        MemoryOfOperator& row = rows[event.name];
        ++row.calls;
        add_to(row.self_increase_bytes, self[index].increase);
        add_to(row.self_allocated_bytes, self[index].allocated);
        row.self_allocations += static_cast<std::uint64_t>(self[index].allocations);
        add_to(row.increase_bytes, total[index].increase);
        add_to(row.allocated_bytes, total[index].allocated);
        row.allocations += static_cast<std::uint64_t>(total[index].allocations);
    }
    std::vector<MemoryOfOperator> made;
    for (auto& [name, row] : rows) {
        if (row.allocations > 0 || row.increase_bytes != 0) {
            row.name = look.events.profile->texts[name];
            made.push_back(std::move(row));
        }
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const MemoryOfOperator& left, const MemoryOfOperator& right) {
                         return left.self_allocated_bytes > right.self_allocated_bytes;
                     });
    return made;
}

}  // namespace

void look_at_memory(const Look& look, Analysis& to) {
    const std::vector<Change> changes = changes_of(look);
    if (changes.empty()) {
        return;
    }
    std::map<std::int64_t, MemoryOfDevice> devices;
    for (const Change& change : changes) {
        const std::int64_t id = change.args.device_type == 1 ? change.args.device_id : -1;
        devices[id].device_id = id;
    }
    std::map<std::int64_t, DeviceMemory> parts;
    for (auto& [id, device] : devices) {
        device.device = id < 0 ? "CPU" : "GPU " + std::to_string(id);
        parts.emplace(id, DeviceMemory(device));
    }
    std::vector<NodeWalk> walks;
    for (ThreadNumber thread = 0; thread < look.events.threads; ++thread) {
        walks.emplace_back(look.events, look.tree, thread);
    }
    for (const Change& change : changes) {
        const std::int64_t id = change.args.device_type == 1 ? change.args.device_id : -1;
        std::uint32_t node = walks[change.thread].enclosing(change.time_ns, change.time_ns);
        node = look.tree.standing(node);
        std::string_view name;
        if (node != kNone && look.events.all[look.tree.nodes[node].event].is_operator()) {
            name = look.events.name(look.events.all[look.tree.nodes[node].event]);
        } else {
            node = kNone;
        }
        parts.at(id).add(change, node, name);
    }
    for (auto& [id, device] : devices) {
        device.operators = by_operator(look, parts.at(id).by_node);
        std::stable_sort(device.blocks.begin(), device.blocks.end(),
                         [](const MemoryBlock& left, const MemoryBlock& right) {
                             return left.bytes > right.bytes;
                         });
        device.blocks.resize(std::min(device.blocks.size(), kMostBlocks));
        to.memory.push_back(std::move(device));
    }
}

}  // namespace taffrail::profile::analysis
