// Layers that are not in a build have no TAFFRAIL_WITH_… definition: see this folder's
// CMakeLists.txt.
#include "run/builtins.h"

#include "open/builtin_sources.h"

#include <mutex>

namespace taffrail {

#ifdef TAFFRAIL_WITH_SINKS_CSV
void register_csv_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TERMINAL
void register_terminal_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TENSORBOARD
void register_tensorboard_sink();
#endif

void register_builtins() {
    static std::once_flag once;
    std::call_once(once, [] {
#ifdef TAFFRAIL_WITH_SINKS_CSV
        register_csv_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TERMINAL
        register_terminal_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TENSORBOARD
        register_tensorboard_sink();
#endif
        register_builtin_sources();
    });
}

}  // namespace taffrail
