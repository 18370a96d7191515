// Tables of what ran on devices, and of the calls that asked for it.
#include "profile/analysis/look.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

/// Sums of a row of kernels; means are made at the end.
struct KernelSums {
    KernelRow row;
    double weighted_blocks = 0, weighted_occupancy = 0;

    void add(const Event& event, const DeviceDetails& details) {
        const std::int64_t duration_ns = event.duration_ns();
        row.min_ns = row.calls == 0 ? duration_ns : std::min(row.min_ns, duration_ns);
        row.max_ns = std::max(row.max_ns, duration_ns);
        ++row.calls;
        add_to(row.total_ns, duration_ns);
        weighted_blocks += std::max(details.blocks_per_sm, 0.0) * static_cast<double>(duration_ns);
        weighted_occupancy += std::max(details.occupancy, 0.0) * static_cast<double>(duration_ns);
        row.uses_tensor_cores = event.is(kIsTensorCoreKernel);
    }

    KernelRow finished(std::string_view name) && {
        row.name = name;
        if (row.total_ns > 0) {
            row.blocks_per_sm = weighted_blocks / static_cast<double>(row.total_ns);
            row.occupancy = weighted_occupancy / static_cast<double>(row.total_ns);
        }
        return std::move(row);
    }
};

struct LaunchKey {
    TextId name, operator_name;
    std::array<std::uint32_t, 3> grid, block;
    std::uint32_t registers;
    std::uint64_t shared_memory;
    bool is_eligible;

    friend auto operator<=>(const LaunchKey&, const LaunchKey&) = default;
};

template <typename Row, typename Total>
void largest_first(std::vector<Row>& rows, Total&& total) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& left, const Row& right) { return total(left) > total(right); });
}

/// By place in Events::details: the operator that launched it, or kNone.
std::vector<std::uint32_t> owners(const Look& look) {
    std::vector<std::uint32_t> owner(look.events.details.size(), kNone);
    for (std::size_t place = 0; place < look.events.calls.size(); ++place) {
        for (const EventNumber number : look.events.launches[place]) {
            owner[look.events.all[number].details] = look.tree.owner_of_call[place];
        }
    }
    return owner;
}

void add_kernels(const Look& look, Analysis& to) {
    const Events& events = look.events;
    const std::vector<std::uint32_t> owner = owners(look);
    std::unordered_map<TextId, KernelSums> by_name;
    std::map<LaunchKey, KernelSums> by_launch;
    std::int64_t total_ns = 0, tensor_core_ns = 0;
    for (const EventNumber number : events.on_device) {
        const Event& event = events.all[number];
        if (event.kind != Kind::Kernel) {
            continue;
        }
        const DeviceDetails& details = events.of(event);
        by_name[event.name].add(event, details);
        add_to(total_ns, event.duration_ns());
        add_to(tensor_core_ns, event.is(kIsTensorCoreKernel) ? event.duration_ns() : 0);
        LaunchKey key{
            event.name, 0, details.grid, details.block, details.registers, details.shared_memory,
            false};
        if (const std::uint32_t node = owner[event.details]; node != kNone) {
            const Event& launcher = events.all[look.tree.nodes[node].event];
            key.operator_name = launcher.name;
            key.is_eligible = launcher.is(kIsTensorCoreOperator);
        }
        by_launch[key].add(event, details);
    }
    to.tensor_core_share =
        total_ns > 0 ? static_cast<double>(tensor_core_ns) / static_cast<double>(total_ns) : 0;
    for (auto& [name, sums] : by_name) {
        to.kernels.push_back(std::move(sums).finished(events.profile->texts[name]));
    }
    std::sort(to.kernels.begin(), to.kernels.end(),
              [](const KernelRow& left, const KernelRow& right) {
                  return left.total_ns != right.total_ns ? left.total_ns > right.total_ns
                                                         : left.name < right.name;
              });
    for (auto& [key, sums] : by_launch) {
        to.launches.push_back(
            {.kernel = std::move(sums).finished(events.profile->texts[key.name]),
             .operator_name = std::string(events.profile->texts[key.operator_name]),
             .is_tensor_core_eligible = key.is_eligible,
             .grid = key.grid,
             .block = key.block,
             .registers_per_thread = key.registers,
             .shared_memory_bytes = key.shared_memory});
    }
    largest_first(to.launches, [](const LaunchRow& row) { return row.kernel.total_ns; });
}

void add_copies_and_calls(const Events& events, Analysis& to) {
    std::map<TextId, CopyRow> copies;
    std::map<TextId, CallRow> calls;
    for (const EventNumber number : events.on_device) {
        const Event& event = events.all[number];
        if (event.kind != Kind::Kernel) {
            CopyRow& row = copies[event.name];
            ++row.calls;
            row.bytes += static_cast<std::uint64_t>(events.of(event).bytes);
            add_to(row.total_ns, event.duration_ns());
        }
    }
    for (const EventNumber number : events.calls) {
        const Event& event = events.all[number];
        CallRow& row = calls[event.name];
        ++row.calls;
        row.waits = event.is(kWaits);
        add_to(row.total_ns, event.duration_ns());
    }
    for (auto& [name, row] : copies) {
        row.name = events.profile->texts[name];
        to.copies.push_back(std::move(row));
    }
    for (auto& [name, row] : calls) {
        row.name = events.profile->texts[name];
        to.calls.push_back(std::move(row));
    }
    largest_first(to.copies, [](const CopyRow& row) { return row.total_ns; });
    largest_first(to.calls, [](const CallRow& row) { return row.total_ns; });
}

}  // namespace

void look_at_kernels(const Look& look, Analysis& to) {
    add_kernels(look, to);
    add_copies_and_calls(look.events, to);
    // The share of kernel time that operators made for Tensor Cores have launched: the innermost
    // of them, so that none counts twice.
    std::int64_t eligible_ns = 0, all_ns = 0;
    for (const OperatorNode& node : look.tree.nodes) {
        if (node.is_merged) {
            continue;
        }
        if (look.events.all[node.event].is_operator()) {
            add_to(all_ns, node.kernel_self_ns);
        }
        if (node.is_eligible && !node.has_eligible_below) {
            add_to(eligible_ns, node.kernel_self_ns);
        }
    }
    to.tensor_core_eligible_share =
        all_ns > 0 ? static_cast<double>(eligible_ns) / static_cast<double>(all_ns) : 0;
}

}  // namespace taffrail::profile::analysis
