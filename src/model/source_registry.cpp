#include "model/source_registry.h"

namespace taffrail::model {

Registry<SourceInfo>& source_registry() {
    static auto* registry = new Registry<SourceInfo>;
    return *registry;
}

}  // namespace taffrail::model
