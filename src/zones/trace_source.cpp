#include "zones/trace_source.h"

namespace taffrail::zones {

Registry<TraceSourceInfo>& trace_sources() {
    static auto* instance = new Registry<TraceSourceInfo>;
    return *instance;
}

}  // namespace taffrail::zones
