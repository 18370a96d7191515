// Devices: how busy each was, how well its multiprocessors were filled, and why it stood still.
#include "profile/analysis/look.h"

#include <algorithm>
#include <map>

namespace taffrail::profile::analysis {
namespace {

/// A launch that follows within this time waited for nothing but the device itself.
constexpr std::int64_t kAtOnceNs = 2'000;

struct Use {
    Ranges kernels;
    std::vector<EventNumber> events;  ///< kernels, copies, memsets by begin
    std::vector<EventNumber> kernel_events;
};

/// Time-weighted mean of min(blocks per multiprocessor of all that ran at a time, 1).
std::optional<double> sm_efficiency(const Events& events, const Use& use, Range window) {
    struct Change {
        std::int64_t time_ns;
        double blocks;
        int running;
    };

    std::vector<Change> changes;
    for (const EventNumber number : use.kernel_events) {
        const Event& event = events.all[number];
        if (const double blocks = events.of(event).blocks_per_sm; blocks > 0) {
            changes.push_back({event.begin_ns, blocks, 1});
            changes.push_back({event.end_ns, -blocks, -1});
        }
    }
    if (changes.empty()) {
        return std::nullopt;
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& left, const Change& right) { return left.time_ns < right.time_ns; });
    double blocks = 0, weighted = 0;
    std::int64_t running = 0, covered_ns = 0;
    std::int64_t from_ns = changes.front().time_ns;
    for (const Change& change : changes) {
        const std::int64_t begin = std::max(from_ns, window.begin_ns);
        const std::int64_t end = std::min(change.time_ns, window.end_ns);
        if (running > 0 && begin < end) {
            weighted += std::min(blocks, 1.0) * static_cast<double>(end - begin);
            covered_ns += end - begin;
        }
        running += change.running;
        blocks = running == 0 ? 0 : blocks + change.blocks;
        from_ns = change.time_ns;
    }
    if (covered_ns == 0) {
        return std::nullopt;
    }
    return weighted / static_cast<double>(window.end_ns - window.begin_ns);
}

template <typename Value>
std::optional<double> weighted_mean(const Events& events, const Use& use, Range window,
                                    Value&& value) {
    double sum = 0;
    std::int64_t time_ns = 0;
    for (const EventNumber number : use.kernel_events) {
        const Event& event = events.all[number];
        const std::int64_t begin = std::max(event.begin_ns, window.begin_ns);
        const std::int64_t end = std::min(event.end_ns, window.end_ns);
        const double share = value(events.of(event));
        if (begin < end && share >= 0) {
            sum += share * static_cast<double>(end - begin);
            add_to(time_ns, end - begin);
        }
    }
    return time_ns > 0 ? std::optional(sum / static_cast<double>(time_ns)) : std::nullopt;
}

constexpr std::size_t kMostGaps = 5;

/// Gaps in which nothing ran on the device, by what ended them.
Idle idle_of(const Events& events, const Use& use) {
    Idle idle;
    if (use.events.empty()) {
        return idle;
    }
    const std::int64_t first_ns = events.all[use.events.front()].begin_ns;
    std::int64_t end_ns = first_ns;
    std::vector<std::pair<Range, EventNumber>> host_gaps;
    for (const EventNumber number : use.events) {
        const Event& event = events.all[number];
        if (event.begin_ns > end_ns) {
            const std::int64_t gap_ns = event.begin_ns - end_ns;
            const EventNumber call = events.of(event).launched_by;
            if (call != kNone && events.all[call].begin_ns > end_ns) {
                idle.host_ns += gap_ns;
                host_gaps.push_back({{end_ns, event.begin_ns}, number});
            } else if (gap_ns <= kAtOnceNs) {
                idle.kernel_ns += gap_ns;
            } else {
                idle.other_ns += gap_ns;
            }
        }
        end_ns = std::max(end_ns, event.end_ns);
    }
    idle.span_ns = end_ns - first_ns;
    const auto length = [](const std::pair<Range, EventNumber>& gap) {
        return gap.first.end_ns - gap.first.begin_ns;
    };
    std::stable_sort(host_gaps.begin(), host_gaps.end(), [&](const auto& left, const auto& right) {
        return length(left) > length(right);
    });
    host_gaps.resize(std::min(host_gaps.size(), kMostGaps));
    for (const auto& gap : host_gaps) {
        idle.longest_host.push_back(
            {gap.first.begin_ns, length(gap), std::string(events.name(events.all[gap.second]))});
    }
    return idle;
}

/// Values of a power of ten of microseconds each, more than 10 and at most 100 of them.
void draw_curve(const Use& use, Range window, Device& device) {
    const std::int64_t length_ns = window.end_ns - window.begin_ns;
    std::int64_t step_ns = 1'000;
    while (length_ns / step_ns > 100 || (length_ns / step_ns == 100 && length_ns % step_ns != 0)) {
        step_ns *= 10;
    }
    const auto count = length_ns / step_ns;
    device.curve_begin_ns = window.begin_ns;
    device.curve_end_ns = window.end_ns;
    device.curve_step_ns = step_ns;
    for (std::int64_t index = 0; index < count; ++index) {
        const Range bucket{
            window.begin_ns + index * step_ns,
            index == count - 1 ? window.end_ns : window.begin_ns + (index + 1) * step_ns};
        device.curve.push_back(static_cast<double>(length_within(use.kernels, bucket)) /
                               static_cast<double>(bucket.end_ns - bucket.begin_ns));
    }
}

void describe(const DeviceProperties* properties, Device& device) {
    if (properties == nullptr) {
        return;
    }
    device.name = properties->name;
    device.memory_bytes = properties->memory_bytes;
    device.compute_major = properties->compute_major;
    device.compute_minor = properties->compute_minor;
    device.multiprocessors = properties->multiprocessors;
}

/// Fills in what the trace does not say of a kernel, or says wrongly.
void complete(const DeviceProperties* properties, DeviceDetails& kernel) {
    if (properties == nullptr) {
        kernel.occupancy = kernel.recorded_occupancy;
        return;
    }
    if (kernel.blocks_per_sm < 0 && properties->multiprocessors > 0 && kernel.grid[0] > 0) {
        kernel.blocks_per_sm = static_cast<double>(kernel.grid[0]) * std::max(kernel.grid[1], 1U) *
                               std::max(kernel.grid[2], 1U) / properties->multiprocessors;
    }
    // PyTorch writes 0 for kernels with more shared memory than a block may have by default.
    kernel.occupancy = kernel.recorded_occupancy > 0 ? kernel.recorded_occupancy
                                                     : occupancy_of(*properties, kernel);
    if (kernel.occupancy < 0) {
        kernel.occupancy = kernel.recorded_occupancy;
    }
}

}  // namespace

void look_at_devices(Look& look, Analysis& to) {
    Events& events = look.events;
    std::map<std::int64_t, Use> uses;
    for (const EventNumber number : events.on_device) {
        const Event& event = events.all[number];
        Use& use = uses[events.of(event).device];
        use.events.push_back(number);
        if (event.kind == Kind::Kernel) {
            use.kernels.push_back(event.range());
            use.kernel_events.push_back(number);
            complete(find_device(look.properties, events.of(event).device), events.of(event));
        }
    }
    if (to.steps.all.empty()) {
        return;
    }
    const Range window{to.steps.all.front().begin_ns, to.steps.all.back().end_ns};
    for (auto& [id, use] : uses) {
        Device device{.id = id};
        describe(find_device(look.properties, id), device);
        device.kernels = use.kernel_events.size();
        std::int64_t tensor_core_ns = 0;
        for (const EventNumber number : use.kernel_events) {
            const Event& event = events.all[number];
            add_to(device.kernel_ns, event.duration_ns());
            add_to(tensor_core_ns, event.is(kIsTensorCoreKernel) ? event.duration_ns() : 0);
        }
        if (device.kernel_ns > 0) {
            device.tensor_core_share =
                static_cast<double>(tensor_core_ns) / static_cast<double>(device.kernel_ns);
        }
        use.kernels = merged(std::move(use.kernels));
        if (window.begin_ns < window.end_ns) {
            device.utilisation = static_cast<double>(length_within(use.kernels, window)) /
                                 static_cast<double>(window.end_ns - window.begin_ns);
            device.sm_efficiency = sm_efficiency(events, use, window);
        }
        device.occupancy = weighted_mean(events, use, window,
                                         [](const DeviceDetails& one) { return one.occupancy; });
        device.recorded_occupancy = weighted_mean(
            events, use, window, [](const DeviceDetails& one) { return one.recorded_occupancy; });
        device.idle = idle_of(events, use);
        draw_curve(use, events.recorded, device);
        to.devices.push_back(std::move(device));
    }
}

}  // namespace taffrail::profile::analysis
