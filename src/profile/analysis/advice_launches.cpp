// Advice on how the program and the device meet: launches, waiting calls, copies, allocations.
#include "base/grouped.h"
#include "profile/analysis/advice_rules.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

void advise_host_bound(Analysis& to) {
    const Device* worst = nullptr;
    double share = 0;
    for (const Device& device : to.devices) {
        const double here = device.idle.span_ns > 0 ? static_cast<double>(device.idle.host_ns) /
                                                          static_cast<double>(device.idle.span_ns)
                                                    : 0;
        if (worst == nullptr || here > share) {
            worst = &device;
            share = here;
        }
    }
    if (worst == nullptr || !holds(rule("R8"), share)) {
        return;
    }
    Advice advice = begin_advice("R8", share);
    advice.text = "GPU " + std::to_string(worst->id) + " stands still in " + percent_text(share) +
                  " of its time because the call that launches the next kernel has not been made "
                  "yet.";
    advice.cure =
        "Let the program run ahead: compile the model or record CUDA graphs, fuse small operators, "
        "move Python work and logging out of the step.";
    advice.numbers = {
        {"span", static_cast<double>(worst->idle.span_ns), "ns"},
        {"waits for the host", static_cast<double>(worst->idle.host_ns), "ns"},
        {"other gaps", static_cast<double>(worst->idle.other_ns + worst->idle.kernel_ns), "ns"}};
    for (const IdleGap& gap : worst->idle.longest_host) {
        advice.evidence.push_back(
            {"idle before " + gap.before,
             place_in_steps(to, gap.begin_ns, "GPU " + std::to_string(worst->id)), gap.begin_ns,
             gap.duration_ns});
    }
    to.advice.push_back(std::move(advice));
}

void advise_short_kernels(const Look& look, Analysis& to) {
    std::uint64_t launches = 0;
    std::vector<EventNumber> calls;
    std::vector<std::int64_t> kernel_ns, call_ns;
    for (const EventNumber number : look.events.on_device) {
        const Event& event = look.events.all[number];
        const EventNumber call = look.events.of(event).launched_by;
        if (event.kind != Kind::Kernel || call == kNone) {
            continue;
        }
        ++launches;
        kernel_ns.push_back(event.duration_ns());
        call_ns.push_back(look.events.all[call].duration_ns());
        if (event.duration_ns() < look.events.all[call].duration_ns()) {
            calls.push_back(call);
        }
    }
    const double share =
        launches == 0 ? 0 : static_cast<double>(calls.size()) / static_cast<double>(launches);
    if (!holds(rule("R9"), share)) {
        return;
    }
    const auto median = [](std::vector<std::int64_t>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return static_cast<double>(*middle);
    };
    Advice advice = begin_advice("R9", share);
    advice.text = percent_text(share) + " of " + grouped(launches) +
                  " launches take the processor longer than the kernel takes the GPU (median " +
                  time_text(median(kernel_ns)) + " for a kernel, " + time_text(median(call_ns)) +
                  " for a call).";
    advice.cure =
        "Launch less and larger: fused operators, a compiled model, CUDA graphs, a "
        "fused or foreach optimizer.";
    advice.numbers = {{"launches", static_cast<double>(launches), "count"},
                      {"median kernel", median(kernel_ns), "ns"},
                      {"median call", median(call_ns), "ns"}};
    add_evidence(look, to, std::move(calls), advice);
    to.advice.push_back(std::move(advice));
}

/// True for a call that blocks: by its name, or since it copies from or to ordinary memory.
bool is_waiting(const Look& look, std::size_t place) {
    const Event& call = look.events.all[look.events.calls[place]];
    if (call.is(kWaits)) {
        return true;
    }
    return std::any_of(look.events.launches[place].begin(), look.events.launches[place].end(),
                       [&](EventNumber number) {
                           const Event& event = look.events.all[number];
                           return event.kind == Kind::Memcpy &&
                                  look.events.name(event).find("Pageable") !=
                                      std::string_view::npos;
                       });
}

void advise_waiting_calls(const Look& look, Analysis& to) {
    Ranges waiting;
    std::vector<EventNumber> calls;
    for (std::size_t place = 0; place < look.events.calls.size(); ++place) {
        if (is_waiting(look, place)) {
            waiting.push_back(look.events.all[look.events.calls[place]].range());
            calls.push_back(look.events.calls[place]);
        }
    }
    waiting = merged(std::move(waiting));
    std::int64_t waited_ns = 0;
    for (const Step& step : to.steps.all) {
        add_to(waited_ns, length_within(waiting, {step.begin_ns, step.end_ns}));
    }
    const double share = to.steps.sum.total_ns > 0 ? static_cast<double>(waited_ns) /
                                                         static_cast<double>(to.steps.sum.total_ns)
                                                   : 0;
    if (!holds(rule("R10"), share)) {
        return;
    }
    std::erase_if(calls, [&](EventNumber number) {
        const Event& call = look.events.all[number];
        return call.end_ns <= to.steps.all.front().begin_ns ||
               call.begin_ns >= to.steps.all.back().end_ns;
    });
    Advice advice = begin_advice("R10", share);
    advice.text = percent_text(share) + " of the time of the steps (" +
                  time_text(static_cast<double>(waited_ns)) + " in " + grouped(calls.size()) +
                  " calls) the program waits for the GPU and gives it nothing new.";
    advice.cure =
        "Ask for values of the device less often (.item(), .cpu(), printing a loss), copy from "
        "pinned memory with non_blocking=True, drop synchronize() calls.";
    advice.numbers = {{"waited", static_cast<double>(waited_ns), "ns"},
                      {"calls", static_cast<double>(calls.size()), "count"},
                      {"steps", static_cast<double>(to.steps.all.size()), "count"}};
    add_evidence(look, to, std::move(calls), advice);
    to.advice.push_back(std::move(advice));
}

void advise_pageable_copies(const Look& look, Analysis& to) {
    constexpr std::int64_t kLargeEnough = 64 << 10;  // smaller copies measure their launch

    struct Rate {
        std::int64_t bytes = 0, time_ns = 0;

        [[nodiscard]] double per_second() const {
            return time_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(time_ns)
                               : 0;
        }
    };

    Rate pageable, pinned;
    std::vector<EventNumber> slow;
    for (const EventNumber number : look.events.on_device) {
        const Event& event = look.events.all[number];
        const std::string_view name = look.events.name(event);
        const std::int64_t bytes = look.events.of(event).bytes;
        if (event.kind != Kind::Memcpy || bytes < kLargeEnough || event.duration_ns() <= 0 ||
            name.find("HtoD") == std::string_view::npos) {
            continue;
        }
        const bool is_pageable = name.find("Pageable") != std::string_view::npos;
        if (!is_pageable && name.find("Pinned") == std::string_view::npos) {
            continue;
        }
        Rate& rate = is_pageable ? pageable : pinned;
        add_to(rate.bytes, bytes);
        add_to(rate.time_ns, event.duration_ns());
        if (is_pageable) {
            slow.push_back(number);
        }
    }
    if (pageable.time_ns == 0 || pinned.per_second() <= 0) {
        return;
    }
    const double ratio = pageable.per_second() / pinned.per_second();
    if (!holds(rule("R11"), ratio)) {
        return;
    }
    char rates[96];
    std::snprintf(rates, sizeof rates, "%.1f GB/s against %.1f GB/s", pageable.per_second() / 1e9,
                  pinned.per_second() / 1e9);
    Advice advice = begin_advice("R11", ratio);
    advice.text = "Copies to the device from ordinary memory reach " + percent_text(ratio) +
                  " of the rate of those from pinned memory (" + rates + ").";
    advice.cure = "Load batches into pinned memory (pin_memory=True).";
    advice.numbers = {{"pageable", pageable.per_second(), "bytes/s"},
                      {"pinned", pinned.per_second(), "bytes/s"},
                      {"pageable bytes", static_cast<double>(pageable.bytes), "bytes"}};
    add_evidence(look, to, std::move(slow), advice);
    to.advice.push_back(std::move(advice));
}

void advise_allocator(const Look& look, Analysis& to) {
    if (to.steps.all.size() < 2) {
        return;  // the first step may fill the pool
    }
    const std::int64_t warm_ns = to.steps.all[1].begin_ns;
    const std::int64_t end_ns = to.steps.all.back().end_ns;
    std::vector<EventNumber> calls;
    std::int64_t time_ns = 0;
    for (const EventNumber number : look.events.calls) {
        const Event& call = look.events.all[number];
        if (call.is(kIsAllocation) && call.begin_ns >= warm_ns && call.begin_ns < end_ns) {
            calls.push_back(number);
            add_to(time_ns, call.duration_ns());
        }
    }
    const auto count = static_cast<double>(calls.size());
    if (!holds(rule("R15"), count)) {
        return;
    }
    Advice advice = begin_advice("R15", count);
    advice.text =
        grouped(calls.size()) + " calls of cudaMalloc or cudaFree after the first step, " +
        time_text(static_cast<double>(time_ns)) + " in all; each waits until the device is done.";
    advice.cure =
        "Keep shapes from changing, leave room for the caching allocator (expandable segments), do "
        "not empty its cache inside the loop.";
    advice.numbers = {{"calls", count, "count"}, {"time", static_cast<double>(time_ns), "ns"}};
    add_evidence(look, to, std::move(calls), advice);
    to.advice.push_back(std::move(advice));
}

}  // namespace

void advise_on_launches(const Look& look, Analysis& to) {
    advise_host_bound(to);
    advise_short_kernels(look, to);
    advise_waiting_calls(look, to);
    advise_pageable_copies(look, to);
    advise_allocator(look, to);
}

}  // namespace taffrail::profile::analysis
