// Advice on the step as a whole: loading, communication, uneven lengths.
#include "profile/analysis/advice_rules.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

void add_part(const Analysis& analysis, Part part, Advice& advice) {
    advice.numbers.push_back({"mean step", analysis.steps.mean_total_ns(), "ns"});
    advice.numbers.push_back({std::string(part_title(part)), analysis.steps.mean_ns(part), "ns"});
    advice.numbers.push_back({"steps", static_cast<double>(analysis.steps.all.size()), "count"});
}

void advise_data_loader(const Look& look, Analysis& to) {
    const double share = to.steps.sum.share(Part::DataLoader);
    if (!holds(rule("R1"), share)) {
        return;
    }
    Advice advice = begin_advice("R1", share);
    advice.text = percent_text(share) + " of the mean step (" +
                  time_text(to.steps.mean_ns(Part::DataLoader)) + " of " +
                  time_text(to.steps.mean_total_ns()) +
                  ") passes in the data loader while nothing else runs.";
    advice.cure =
        "Load batches in the background: more workers (num_workers), pinned memory, fewer or "
        "cheaper transformations, data decoded beforehand.";
    add_part(to, Part::DataLoader, advice);
    add_evidence(
        look, to,
        events_in_steps(
            look, to, [](const Event& event) { return event.is(kIsLoader) && !event.on_device(); }),
        advice);
    to.advice.push_back(std::move(advice));
}

void advise_data_parallel(const Look& look, Analysis& to) {
    std::vector<EventNumber> uses;
    for (EventNumber number = 0; number < look.events.all.size(); ++number) {
        if (look.events.all[number].is(kIsDataParallel)) {
            uses.push_back(number);
        }
    }
    const auto devices = static_cast<double>(to.devices.size());
    if (uses.empty() || !holds(rule("R2"), devices)) {
        return;
    }
    Advice advice = begin_advice("R2", devices);
    advice.text = "DataParallel runs on " + std::to_string(to.devices.size()) +
                  " devices from one process, which copies the model for every step.";
    advice.cure = "Use DistributedDataParallel: one process for each device.";
    add_evidence(look, to, std::move(uses), advice);
    to.advice.push_back(std::move(advice));
}

void advise_nccl(const Look& look, Analysis& to) {
    std::vector<EventNumber> uses;
    for (EventNumber number = 0; number < look.events.all.size(); ++number) {
        if (look.events.all[number].is(kIsDistributedDataParallel)) {
            uses.push_back(number);
        }
    }
    const auto able = std::count_if(
        look.properties.begin(), look.properties.end(), [](const DeviceProperties& device) {
            return device.compute_major > 3 ||
                   (device.compute_major == 3 && device.compute_minor >= 5);
        });
    if (uses.empty() || look.has_nccl || !holds(rule("R3"), static_cast<double>(able))) {
        return;
    }
    Advice advice = begin_advice("R3", static_cast<double>(able));
    advice.text = "DistributedDataParallel runs without any NCCL operation, though " +
                  std::to_string(able) + " of the devices could use it.";
    advice.cure = "Choose the nccl backend (init_process_group(\"nccl\")).";
    add_evidence(look, to, std::move(uses), advice);
    to.advice.push_back(std::move(advice));
}

void advise_communication(const Look& look, Analysis& to) {
    const double share = to.steps.sum.share(Part::Communication);
    if (!holds(rule("R4"), share)) {
        return;
    }
    Advice advice = begin_advice("R4", share);
    advice.text = percent_text(share) + " of the mean step (" +
                  time_text(to.steps.mean_ns(Part::Communication)) + " of " +
                  time_text(to.steps.mean_total_ns()) +
                  ") passes in communication that no computation covers; of all communication " +
                  percent_text(to.steps.overlap.share()) + " is covered.";
    advice.cure =
        "Communicate less: larger batches, gradients accumulated over several batches, compressed "
        "gradients; or earlier, in smaller buckets.";
    advice.caution =
        "Accumulation and larger batches change the effective batch size, and with it how the "
        "training converges.";
    add_part(to, Part::Communication, advice);
    add_evidence(look, to,
                 events_in_steps(look, to,
                                 [&](const Event& event) {
                                     return event.kind == Kind::Kernel
                                                ? look.is_communication[event.details] != false
                                                : event.is(kIsCollective);
                                 }),
                 advice);
    to.advice.push_back(std::move(advice));
}

void advise_uneven_steps(Analysis& to) {
    constexpr std::size_t kFewest = 4;  // fewer say nothing about how steps spread
    if (to.steps.all.size() < kFewest || to.steps.median_ns <= 0) {
        return;
    }
    const double times =
        static_cast<double>(to.steps.p99_ns) / static_cast<double>(to.steps.median_ns);
    if (!holds(rule("R14"), times)) {
        return;
    }
    Advice advice = begin_advice("R14", times);
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.1f", times);
    advice.text = "The slowest steps (99th percentile " +
                  time_text(static_cast<double>(to.steps.p99_ns)) + ") take " + ratio +
                  " times as long as the median (" +
                  time_text(static_cast<double>(to.steps.median_ns)) + ").";
    advice.cure =
        "Look at what the longest steps do that others do not: checkpoints, validation, logging, "
        "the end of an epoch, batches of another shape.";
    advice.numbers = {{"median", static_cast<double>(to.steps.median_ns), "ns"},
                      {"99th percentile", static_cast<double>(to.steps.p99_ns), "ns"},
                      {"steps", static_cast<double>(to.steps.all.size()), "count"}};
    std::vector<const Step*> longest;
    for (const Step& step : to.steps.all) {
        longest.push_back(&step);
    }
    std::stable_sort(longest.begin(), longest.end(), [](const Step* left, const Step* right) {
        return left->time.total_ns > right->time.total_ns;
    });
    longest.resize(std::min<std::size_t>(longest.size(), 3));
    for (const Step* step : longest) {
        const auto part = std::max_element(step->time.part_ns.begin(), step->time.part_ns.end());
        const auto place = static_cast<Part>(part - step->time.part_ns.begin());
        advice.evidence.push_back({"step " + step->name, "mostly " + std::string(part_title(place)),
                                   step->begin_ns, step->time.total_ns});
    }
    to.advice.push_back(std::move(advice));
}

}  // namespace

void advise_on_steps(const Look& look, Analysis& to) {
    advise_data_loader(look, to);
    advise_data_parallel(look, to);
    advise_nccl(look, to);
    advise_communication(look, to);
    advise_uneven_steps(to);
}

}  // namespace taffrail::profile::analysis
