// The routines that can be made by key.
#pragma once

#include <taffrail/routine.h>

#include "base/registry.h"

namespace taffrail::routines {

Registry<RoutineInfo, &RoutineInfo::key>& registry();

}  // namespace taffrail::routines
