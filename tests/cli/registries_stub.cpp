// Stands in for registries of layers that are not linked into this test.
#include <taffrail/reader.h>
#include <taffrail/routine.h>

namespace taffrail {

std::vector<SourceInfo> registered_sources() {
    return {};
}

std::vector<RoutineInfo> registered_routines() {
    return {};
}

}  // namespace taffrail
