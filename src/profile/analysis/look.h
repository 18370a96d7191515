// The looks at a trace, one function each: every one fills its part of the analysis from the
// events.
#pragma once

#include "profile/analysis/analysis.h"
#include "profile/analysis/device_properties.h"
#include "profile/analysis/events.h"
#include "profile/analysis/operator_tree.h"

namespace taffrail::profile::analysis {

/// What several looks share.
struct Look {
    Events events;
    std::vector<DeviceProperties> properties;
    OperatorTree tree;
    std::array<Ranges, kParts> ranges;   ///< by part, whole trace; none for Other
    std::vector<bool> is_communication;  ///< by place in Events::details
    bool has_nccl = false, has_gloo = false;
};

/// Which kernels communicate, and what the processor and the devices did when.
void sort_times(Look& look);

void look_at_steps(const Look& look, Analysis& to);
void look_at_devices(Look& look, Analysis& to);
void look_at_operators(const Look& look, Analysis& to);
void look_at_kernels(const Look& look, Analysis& to);
void look_at_memory(const Look& look, Analysis& to);
void look_at_collectives(const Look& look, Analysis& to);
void look_at_modules(const Look& look, Analysis& to);
/// Last: reads what the others found.
void give_advice(const Look& look, Analysis& to);

}  // namespace taffrail::profile::analysis
