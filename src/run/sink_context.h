// What a sink is told about its run when it opens.
#pragma once

#include <taffrail/sink.h>

#include "run/run_place.h"
#include "run/settings.h"

#include <string>

namespace taffrail::run {

/// For a sink of a process that records: its folder, and where that lacks what another rank is yet
/// to write, what this process was told itself.
SinkContext describe_to_sinks(const RunPlace& place, const Settings& settings);

}  // namespace taffrail::run
