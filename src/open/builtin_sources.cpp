#include "open/builtin_sources.h"

#include "store/native_source.h"

#include <mutex>
#if defined(TAFFRAIL_SOURCE_TENSORBOARD)
#include "sources/tensorboard/catalogue.h"
#endif

namespace taffrail {

void register_builtin_sources() {
    static std::once_flag once;
    std::call_once(once, [] {
        storage::register_native_source();
#if defined(TAFFRAIL_SOURCE_TENSORBOARD)
        tensorboard::register_tensorboard_source();
#endif
    });
}

}  // namespace taffrail
