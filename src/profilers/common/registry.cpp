#include "profilers/common/registry.h"

namespace taffrail::profilers {

Registry<ProfilerInfo>& registry() {
    static auto* instance = new Registry<ProfilerInfo>;
    return *instance;
}

}  // namespace taffrail::profilers
