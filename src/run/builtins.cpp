// Layers that are not in a build have no TAFFRAIL_WITH_… definition: see this folder's
// CMakeLists.txt.
#include "run/builtins.h"

#include "open/builtin_sources.h"

#include <mutex>

#ifdef TAFFRAIL_WITH_SINKS_CSV
#include "sinks/csv/sink.h"
#endif
#ifdef TAFFRAIL_WITH_SINKS_TENSORBOARD
#include "sinks/tensorboard/sink.h"
#endif
#ifdef TAFFRAIL_WITH_SINKS_TERMINAL
#include "sinks/terminal/sink.h"
#endif

namespace taffrail {

void register_builtins() {
    static std::once_flag once;
    std::call_once(once, [] {
#ifdef TAFFRAIL_WITH_SINKS_CSV
        register_csv_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TENSORBOARD
        register_tensorboard_sink();
#endif
#ifdef TAFFRAIL_WITH_SINKS_TERMINAL
        register_terminal_sink();
#endif
        register_builtin_sources();
    });
}

}  // namespace taffrail
