// Steps: where each begins and ends, and what its time went to.
//
// A step of the program ends when the last thing it launched has run, and begins where the one
// before ended: so that what it costs is what one waits for it.
#include "base/strings.h"
#include "profile/analysis/look.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

constexpr std::size_t index_of(Part part) noexcept {
    return static_cast<std::size_t>(part);
}

std::vector<Step> named_steps(const Events& events) {
    std::vector<Step> steps;
    for (const Event& event : events.all) {
        if (event.kind != Kind::Step) {
            continue;
        }
        const std::string_view name = events.name(event);
        const std::string_view number = name.substr(name.find('#') + 1);
        steps.push_back({.name = std::string(number),
                         .number = parse_int(number).value_or(0),
                         .begin_ns = event.begin_ns,
                         .end_ns = event.end_ns});
    }
    return steps;
}

/// Everything the processor did as one step.
Step whole_trace(const Events& events) {
    Step step{.name = "0"};
    bool is_first = true;
    for (const Event& event : events.all) {
        if (event.kind == Kind::Operator || event.kind == Kind::Python) {
            step.begin_ns = is_first ? event.begin_ns : std::min(step.begin_ns, event.begin_ns);
            step.end_ns = is_first ? event.end_ns : std::max(step.end_ns, event.end_ns);
            is_first = false;
        }
    }
    if (is_first) {
        step.begin_ns = events.begin_ns;
        step.end_ns = events.end_ns;
    }
    return step;
}

/// What the calls inside a step launched.
struct Launched {
    bool any = false;
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t events = 0;
};

std::vector<Launched> launched_in(const Events& events, const std::vector<Step>& steps,
                                  std::vector<bool>& is_inside) {
    std::vector<Launched> launched(steps.size());
    std::size_t step = 0;
    for (std::size_t place = 0; place < events.calls.size(); ++place) {
        const Event& call = events.all[events.calls[place]];
        while (step < steps.size() && call.begin_ns >= steps[step].begin_ns &&
               call.begin_ns >= steps[step].end_ns) {
            // A call of no length at the very end still belongs to the step.
            if (call.end_ns <= steps[step].end_ns) {
                break;
            }
            ++step;
        }
        if (step == steps.size()) {
            break;
        }
        if (call.begin_ns < steps[step].begin_ns || call.end_ns > steps[step].end_ns) {
            continue;
        }
        for (const EventNumber number : events.launches[place]) {
            const Event& event = events.all[number];
            Launched& here = launched[step];
            here.begin_ns = here.any ? std::min(here.begin_ns, event.begin_ns) : event.begin_ns;
            here.end_ns = here.any ? std::max(here.end_ns, event.end_ns) : event.end_ns;
            here.any = true;
            ++here.events;
            is_inside[event.details] = true;
        }
    }
    return launched;
}

/// Moves ends and begins to what the device did, and cuts off steps at the end whose launches were
/// not all recorded.
void follow_device(const Events& events, Steps& steps) {
    std::vector<bool> is_inside(events.details.size());
    const std::vector<Launched> launched = launched_in(events, steps.all, is_inside);
    const auto has_any = [](const Launched& one) { return one.any; };
    if (std::none_of(launched.begin(), launched.end(), has_any)) {
        return;
    }
    // What runs before the first step's own kernels and was launched before it delays the step.
    std::int64_t previous_end = steps.all.front().begin_ns;
    if (launched.front().any) {
        for (const EventNumber number : events.on_device) {
            const Event& event = events.all[number];
            if (!is_inside[event.details] && event.end_ns < launched.front().begin_ns) {
                previous_end = std::max(previous_end, event.end_ns);
            }
        }
    }
    for (std::size_t index = 0; index < steps.all.size(); ++index) {
        Step& step = steps.all[index];
        step.device_events = launched[index].events;
        step.begin_ns = std::max(step.begin_ns, previous_end);
        step.end_ns = std::max(step.end_ns, step.begin_ns);
        if (launched[index].any) {
            step.end_ns = std::max(step.end_ns, launched[index].end_ns);
        }
        previous_end = step.end_ns;
    }
    if (steps.all.size() < 2) {
        return;
    }
    std::size_t last = launched.size() - 1;
    while (!launched[last].any) {
        --last;
    }
    std::size_t kept = last + 1;
    // Fewer than 80 % of the launches of the step before: its end is missing.
    if (last > 0 && launched[last - 1].events * 8 > launched[last].events * 10) {
        kept = last;
    }
    steps.left_out = static_cast<std::uint32_t>(steps.all.size() - kept);
    steps.all.resize(kept);
}

void divide(const Look& look, Steps& steps) {
    Ranges free;
    for (const Step& step : steps.all) {
        free.push_back({step.begin_ns, step.end_ns});
    }
    free = merged(std::move(free));
    std::array<Ranges, kParts> taken;
    for (std::size_t part = 0; part < kParts - 1; ++part) {
        taken[part] = intersection(free, look.ranges[part]);
        free = without(free, taken[part]);
    }
    taken[index_of(Part::Other)] = std::move(free);
    const Ranges& kernels = look.ranges[index_of(Part::Kernel)];
    const Ranges& computation = kernels.empty() ? look.ranges[index_of(Part::Cpu)] : kernels;
    const Ranges& communication = look.ranges[index_of(Part::Communication)];
    const Ranges both = intersection(computation, communication);
    for (Step& step : steps.all) {
        const Range window{step.begin_ns, step.end_ns};
        step.time.total_ns = step.end_ns - step.begin_ns;
        add_to(steps.sum.total_ns, step.time.total_ns);
        for (std::size_t part = 0; part < kParts; ++part) {
            step.time.part_ns[part] = length_within(taken[part], window);
            add_to(steps.sum.part_ns[part], step.time.part_ns[part]);
        }
        Overlap& overlap = step.overlap;
        overlap.computation_ns = length_within(computation, window);
        overlap.communication_ns = length_within(communication, window);
        overlap.both_ns = length_within(both, window);
        overlap.neither_ns = step.time.total_ns + overlap.both_ns - overlap.computation_ns -
                             overlap.communication_ns;
        add_to(steps.overlap.computation_ns, overlap.computation_ns);
        add_to(steps.overlap.communication_ns, overlap.communication_ns);
        add_to(steps.overlap.both_ns, overlap.both_ns);
        add_to(steps.overlap.neither_ns, overlap.neither_ns);
    }
}

/// The value below which `percent` of 100 lie, by nearest rank.
std::int64_t percentile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void sort_times(Look& look) {
    const Events& events = look.events;
    // A kernel communicates when a collective launched it, or by its name.
    std::vector<std::int64_t> collectives;
    for (const Event& event : events.all) {
        if (event.is(kIsCollective) && !event.on_device() && event.kind != Kind::Runtime) {
            (event.is(kIsNccl) ? look.has_nccl : look.has_gloo) = true;
            if (event.external != kAbsent) {
                collectives.push_back(event.external);
            }
        }
    }
    std::sort(collectives.begin(), collectives.end());
    look.is_communication.assign(events.details.size(), false);
    const auto add = [&](Part part, const Event& event) {
        look.ranges[index_of(part)].push_back(event.range());
    };
    for (const Event& event : events.all) {
        switch (event.kind) {
            case Kind::Kernel: {
                const bool communicates =
                    event.is(kIsCommunicationKernel) ||
                    (event.external != kAbsent &&
                     std::binary_search(collectives.begin(), collectives.end(), event.external));
                look.is_communication[event.details] = communicates;
                look.has_nccl = look.has_nccl || event.is(kIsNccl);
                add(communicates ? Part::Communication : Part::Kernel, event);
                break;
            }
            case Kind::Memcpy:
                add(Part::Memcpy, event);
                break;
            case Kind::Memset:
                add(Part::Memset, event);
                break;
            case Kind::Runtime:
                add(Part::Runtime, event);
                break;
            case Kind::Operator:
            case Kind::Python:
            case Kind::Annotation:
                if (event.is(kIsLoader)) {
                    add(Part::DataLoader, event);
                } else if (event.is(kIsCollective)) {
                    add(Part::Communication, event);
                } else if (event.kind != Kind::Annotation) {
                    add(Part::Cpu, event);
                }
                break;
            default:
                break;
        }
    }
    for (Ranges& ranges : look.ranges) {
        ranges = merged(std::move(ranges));
    }
}

void look_at_steps(const Look& look, Analysis& to) {
    Steps& steps = to.steps;
    if (look.events.all.empty()) {
        return;
    }
    steps.all = named_steps(look.events);
    if (steps.all.empty()) {
        steps.is_whole_trace = true;
        steps.all.push_back(whole_trace(look.events));
    }
    follow_device(look.events, steps);
    divide(look, steps);
    steps.has_device = !look.events.on_device.empty();
    steps.has_runtime = !look.events.calls.empty();
    steps.has_communication = !look.ranges[index_of(Part::Communication)].empty();
    std::vector<std::int64_t> lengths;
    for (const Step& step : steps.all) {
        lengths.push_back(step.time.total_ns);
    }
    std::sort(lengths.begin(), lengths.end());
    steps.median_ns = percentile(lengths, 50);
    steps.p99_ns = percentile(lengths, 99);
}

}  // namespace taffrail::profile::analysis
