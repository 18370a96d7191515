// Every source that comes with the library, registered in one place: static archives drop what
// registers itself.
#pragma once

namespace taffrail {

/// Once per process; later calls do nothing. Thread-safe.
void register_builtin_sources();

}  // namespace taffrail
