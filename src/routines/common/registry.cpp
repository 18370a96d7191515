#include "routines/common/registry.h"

namespace taffrail::routines {

Registry<RoutineInfo, &RoutineInfo::key>& registry() {
    static auto* instance = new Registry<RoutineInfo, &RoutineInfo::key>;
    return *instance;
}

}  // namespace taffrail::routines
