// Where each zone of a trace stands in the source, and through which zones it was called.
#pragma once

#include "profile/profile.h"
#include "zones/snapshot.h"

namespace taffrail::profilers {

/// Gives the zones (category "cpu_op") of `trace` the argument "Call stack" as PyTorch writes it:
/// "file(line): zone", the innermost first. Files and lines are those of `snapshot`; a zone that
/// was named at run time has none.
void add_call_stacks(const zones::Snapshot& snapshot, profile::Profile& trace);

}  // namespace taffrail::profilers
