// Zones as a profile: stacks with calls and self time, which every format can be made from.
#pragma once

#include "profile/profile.h"
#include "zones/snapshot.h"

#include <string_view>

namespace taffrail::zones {

/// The stacks below `branch`, itself included unless it has no name.
void add_stacks(const Branch& branch, double seconds_per_tick, profile::Profile& to);

/// Everything that ran inside zones of this name, wherever they were entered: the stacks begin
/// there. Empty when there was none.
profile::Profile profile_of_action(const Snapshot& snapshot, std::string_view name);

/// All of it.
profile::Profile profile_of_zones(const Snapshot& snapshot);

}  // namespace taffrail::zones
