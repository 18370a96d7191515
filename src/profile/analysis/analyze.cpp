#include "codec/json.h"
#include "profile/analysis/look.h"

namespace taffrail::profile::analysis {
namespace {

void read_metadata(const Profile& profile, Analysis& to) {
    for (const auto& [name, text] : profile.metadata) {
        if (name != "distributedInfo") {
            continue;
        }
        if (const auto json = parse_json(text); json.ok()) {
            to.rank = json->integer_or("rank", -1);
            to.world_size = json->integer_or("world_size", -1);
            to.backend = json->string_or("backend", "");
        }
    }
}

void say_what_is_missing(const Look& look, Analysis& to) {
    if (look.events.all.empty()) {
        to.notes.emplace_back(
            "the profile has no timeline: steps, devices and advice need a trace");
        return;
    }
    if (to.steps.is_whole_trace) {
        to.notes.emplace_back("the trace marks no steps: all of it counts as one");
    }
    if (to.steps.left_out > 0) {
        to.notes.push_back("the last " + std::to_string(to.steps.left_out) +
                           (to.steps.left_out == 1 ? " step is" : " steps are") +
                           " left out: what they launched was not recorded to the end");
    }
    if (!to.devices.empty() && look.properties.empty()) {
        to.notes.emplace_back(
            "the trace does not describe its devices: occupancy and advice on Tensor Cores and "
            "memory need that");
    }
}

}  // namespace

Analysis analyze(const Profile& profile, const WorkerWindow& worker) {
    Analysis made;
    made.worker = worker.worker;
    made.window = worker.window;
    made.events = profile.spans.size() + profile.instants.size();
    read_metadata(profile, made);
    Look look;
    look.events = collect_events(profile);
    made.begin_ns = look.events.begin_ns;
    made.end_ns = look.events.end_ns;
    look.properties = device_properties(profile);
    look.tree = build_operator_tree(look.events);
    sort_times(look);
    look_at_steps(look, made);
    look_at_devices(look, made);
    look_at_operators(look, made);
    look_at_kernels(look, made);
    look_at_memory(look, made);
    look_at_collectives(look, made);
    look_at_modules(look, made);
    give_advice(look, made);
    say_what_is_missing(look, made);
    return made;
}

}  // namespace taffrail::profile::analysis
