// Advice on devices: idle ones, Tensor Cores, memory.
#include "profile/analysis/advice_rules.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

std::string gpu_name(const Device& device) {
    return "GPU " + std::to_string(device.id) +
           (device.name.empty() ? std::string() : " (" + device.name + ")");
}

void advise_utilisation(const Look& look, Analysis& to) {
    std::vector<const Device*> idle;
    for (const Device& device : to.devices) {
        if (device.kernels > 0 && holds(rule("R5"), device.utilisation)) {
            idle.push_back(&device);
        }
    }
    if (idle.empty()) {
        return;
    }
    std::stable_sort(idle.begin(), idle.end(), [](const Device* left, const Device* right) {
        return left->utilisation < right->utilisation;
    });
    Advice advice = begin_advice("R5", idle.front()->utilisation);
    for (const Device* device : idle) {
        advice.text += (advice.text.empty() ? "" : " ") + gpu_name(*device) + " runs kernels in " +
                       percent_text(device->utilisation) + " of the time of the steps.";
        advice.numbers.push_back(
            {"utilisation of GPU " + std::to_string(device->id), device->utilisation, "share"});
    }
    advice.cure =
        "Give it more to do at once: a larger batch, several batches in flight; or take away what "
        "it waits for, which the other advice names.";
    advice.caution = "A larger batch may change how fast and how well the training converges.";
    // The longest time in which it did nothing shows best what it waited for.
    const Device& worst = *idle.front();
    const Range window{to.steps.all.front().begin_ns, to.steps.all.back().end_ns};
    std::int64_t end_ns = window.begin_ns, longest_ns = 0;
    Evidence gap;
    for (const EventNumber number : look.events.on_device) {
        const Event& event = look.events.all[number];
        if (look.events.of(event).device != worst.id || event.kind != Kind::Kernel ||
            event.begin_ns >= window.end_ns) {
            continue;
        }
        if (event.begin_ns - end_ns > longest_ns) {
            longest_ns = event.begin_ns - end_ns;
            gap = {"idle before " + std::string(look.events.name(event)),
                   place_in_steps(to, end_ns, "GPU " + std::to_string(worst.id)), end_ns,
                   longest_ns};
        }
        end_ns = std::max(end_ns, event.end_ns);
    }
    if (window.end_ns - end_ns > longest_ns) {
        longest_ns = window.end_ns - end_ns;
        gap = {"idle after the last kernel",
               place_in_steps(to, end_ns, "GPU " + std::to_string(worst.id)), end_ns, longest_ns};
    }
    if (longest_ns > 0) {
        advice.evidence.push_back(std::move(gap));
    }
    to.advice.push_back(std::move(advice));
}

void advise_tensor_cores(const Look& look, Analysis& to) {
    if (look.properties.empty() || look.properties.front().compute_major < 7 ||
        to.kernels.empty() || to.tensor_core_share > 0 ||
        !holds(rule("R6"), to.tensor_core_eligible_share)) {
        return;
    }
    Advice advice = begin_advice("R6", to.tensor_core_eligible_share);
    advice.text = percent_text(to.tensor_core_eligible_share) +
                  " of the kernel time comes from operators that could use Tensor Cores, and not "
                  "one kernel does.";
    advice.cure =
        "Train in mixed precision (autocast with bfloat16 or float16), or allow TF32 for "
        "multiplications of float32.";
    advice.caution = "Float16 needs a scaled loss; compare the loss curves.";
    advice.numbers = {{"eligible kernel time", to.tensor_core_eligible_share, "share"},
                      {"Tensor Core kernel time", to.tensor_core_share, "share"}};
    std::vector<EventNumber> kernels;
    for (std::size_t place = 0; place < look.events.calls.size(); ++place) {
        const std::uint32_t owner = look.tree.owner_of_call[place];
        if (owner != kNone && look.tree.nodes[owner].is_eligible) {
            kernels.insert(kernels.end(), look.events.launches[place].begin(),
                           look.events.launches[place].end());
        }
    }
    add_evidence(look, to, std::move(kernels), advice);
    to.advice.push_back(std::move(advice));
}

void advise_memory(const Look& look, Analysis& to) {
    for (const MemoryOfDevice& memory : to.memory) {
        const DeviceProperties* device =
            memory.device_id < 0 ? nullptr : find_device(look.properties, memory.device_id);
        if (device == nullptr || device->memory_bytes == 0 || !memory.has_totals) {
            continue;
        }
        const double share = static_cast<double>(memory.peak_allocated_bytes) /
                             static_cast<double>(device->memory_bytes);
        if (!holds(rule("R7"), share)) {
            continue;
        }
        Advice advice = begin_advice("R7", share);
        char size[96];
        std::snprintf(size, sizeof size, "%.1f of %.1f GiB",
                      static_cast<double>(memory.peak_allocated_bytes) / (1 << 30),
                      static_cast<double>(device->memory_bytes) / (1 << 30));
        advice.text = memory.device + " holds " + percent_text(share) + " of its memory (" + size +
                      ") at the peak.";
        advice.cure = "Free memory by checkpointing activations or by mixed precision.";
        advice.caution = "Checkpointing computes parts of the forward pass twice.";
        advice.numbers = {{"peak", static_cast<double>(memory.peak_allocated_bytes), "bytes"},
                          {"memory", static_cast<double>(device->memory_bytes), "bytes"}};
        for (std::size_t index = 0; index < std::min<std::size_t>(memory.blocks.size(), 5);
             ++index) {
            const MemoryBlock& block = memory.blocks[index];
            advice.evidence.push_back(
                {block.operator_name.empty() ? "an allocation" : block.operator_name,
                 std::to_string(block.bytes) + " bytes on " + memory.device, block.begin_ns,
                 block.end_ns == kNoTime ? 0 : block.end_ns - block.begin_ns});
        }
        to.advice.push_back(std::move(advice));
        return;  // one device says it for all
    }
}

}  // namespace

void advise_on_devices(const Look& look, Analysis& to) {
    advise_utilisation(look, to);
    advise_tensor_cores(look, to);
    advise_memory(look, to);
}

}  // namespace taffrail::profile::analysis
