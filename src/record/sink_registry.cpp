#include "record/sink_registry.h"

namespace taffrail::record {

// Never destroyed: a program may log while its statics go.
Registry<SinkInfo>& sink_registry() {
    static auto* registry = new Registry<SinkInfo>;
    return *registry;
}

}  // namespace taffrail::record
