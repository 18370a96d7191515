// The rules. Each looks at numbers that the other looks found, and gives its advice with them, its
// threshold and the events that show it. A value exactly at a threshold is still good.
#include "profile/analysis/advice.h"

#include "profile/analysis/advice_rules.h"
#include "profile/analysis/look.h"

#include <algorithm>
#include <array>

namespace taffrail::profile::analysis {
namespace {

constexpr std::size_t kMostEvidence = 5;

constexpr std::array kRules = {
    Rule{"R1", "data-loader", "The data loader keeps the step waiting", 0.05, Exceeds::Above,
         "share"},
    Rule{"R2", "data-parallel", "DataParallel serves several devices from one process", 1,
         Exceeds::Above, "count"},
    Rule{"R3", "nccl", "Distributed training without NCCL", 0, Exceeds::Above, "count"},
    Rule{"R4", "communication", "Communication takes much of the step", 0.10, Exceeds::Above,
         "share"},
    Rule{"R5", "utilisation", "A GPU is idle most of the time", 0.50, Exceeds::Below, "share"},
    Rule{"R6", "tensor-cores", "Tensor Cores are not used", 0, Exceeds::Above, "share"},
    Rule{"R7", "memory", "Device memory is nearly full", 0.90, Exceeds::Above, "share"},
    Rule{"R8", "host-bound", "The GPU waits for the program", 0.30, Exceeds::Above, "share"},
    Rule{"R9", "short-kernels", "Kernels are shorter than the calls that launch them", 0.50,
         Exceeds::Above, "share"},
    Rule{"R10", "waiting-calls", "The program stops to wait for the GPU", 0.05, Exceeds::Above,
         "share"},
    Rule{"R11", "pageable-copies", "Copies from ordinary memory are slow", 0.50, Exceeds::Below,
         "share"},
    Rule{"R14", "uneven-steps", "Some steps take far longer than others", 2, Exceeds::Above,
         "times"},
    Rule{"R15", "allocator", "Device memory is asked from the driver during training", 0,
         Exceeds::Above, "count"},
};

}  // namespace

std::span<const Rule> rules() noexcept {
    return kRules;
}

const Rule& rule(std::string_view id) noexcept {
    return *std::find_if(kRules.begin(), kRules.end(),
                         [&](const Rule& one) { return one.id == id; });
}

bool holds(const Rule& rule, double measured) noexcept {
    return rule.exceeds == Exceeds::Above ? measured > rule.threshold : measured < rule.threshold;
}

Advice begin_advice(std::string_view id, double measured) {
    const Rule& known = rule(id);
    Advice advice;
    advice.rule = known.id;
    advice.topic = known.topic;
    advice.title = known.title;
    advice.measured = measured;
    advice.threshold = known.threshold;
    advice.exceeds = known.exceeds;
    advice.unit = known.unit;
    return advice;
}

std::string place_in_steps(const Analysis& analysis, std::int64_t time_ns, std::string_view then) {
    const auto step = std::find_if(
        analysis.steps.all.begin(), analysis.steps.all.end(),
        [&](const Step& one) { return time_ns >= one.begin_ns && time_ns < one.end_ns; });
    std::string where;
    if (step != analysis.steps.all.end() && !analysis.steps.is_whole_trace) {
        where = "step " + step->name;
    }
    if (!then.empty()) {
        where += where.empty() ? "" : ", ";
        where += then;
    }
    return where;
}

void add_evidence(const Look& look, const Analysis& analysis, std::vector<EventNumber> events,
                  Advice& advice) {
    std::stable_sort(events.begin(), events.end(), [&](EventNumber left, EventNumber right) {
        return look.events.all[left].duration_ns() > look.events.all[right].duration_ns();
    });
    events.resize(std::min(events.size(), kMostEvidence));
    for (const EventNumber number : events) {
        const Event& event = look.events.all[number];
        std::string device;
        if (event.on_device()) {
            const DeviceDetails& details = look.events.of(event);
            device = "GPU " + std::to_string(details.device);
            if (details.stream != kAbsent) {
                device += " stream " + std::to_string(details.stream);
            }
        }
        advice.evidence.push_back({std::string(look.events.name(event)),
                                   place_in_steps(analysis, event.begin_ns, device), event.begin_ns,
                                   event.duration_ns()});
    }
}

std::vector<EventNumber> events_in_steps(const Look& look, const Analysis& analysis,
                                         const std::function<bool(const Event&)>& wanted) {
    std::vector<EventNumber> found;
    if (analysis.steps.all.empty()) {
        return found;
    }
    const std::int64_t begin_ns = analysis.steps.all.front().begin_ns;
    const std::int64_t end_ns = analysis.steps.all.back().end_ns;
    for (EventNumber number = 0; number < look.events.all.size(); ++number) {
        const Event& event = look.events.all[number];
        if (event.end_ns > begin_ns && event.begin_ns < end_ns && wanted(event)) {
            found.push_back(number);
        }
    }
    return found;
}

void give_advice(const Look& look, Analysis& to) {
    if (to.steps.all.empty()) {
        return;
    }
    advise_on_steps(look, to);
    advise_on_devices(look, to);
    advise_on_launches(look, to);
    std::stable_sort(to.advice.begin(), to.advice.end(),
                     [](const Advice& left, const Advice& right) {
                         const auto place = [](const Advice& advice) { return &rule(advice.rule); };
                         return place(left) < place(right);
                     });
}

}  // namespace taffrail::profile::analysis
