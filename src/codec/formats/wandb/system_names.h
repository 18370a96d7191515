// What the load of the machine is called here and there. Reversible: every name of one side has one
// name on the other, and no two the same.
#pragma once

#include <string>
#include <string_view>

namespace taffrail::formats::wandb {

/// A system metric of the other side: its name, and what a value must be multiplied by.
struct SystemMetric {
    std::string name;
    double factor = 1;
};

/// From `system/cpu/percent` to `cpu`. Names without a counterpart keep theirs behind `taffrail.`.
SystemMetric to_wandb(std::string_view key);
/// The other way: `system/…` for every name.
SystemMetric from_wandb(std::string_view name);

}  // namespace taffrail::formats::wandb
