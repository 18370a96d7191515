#include <taffrail/version.h>

namespace taffrail {

const char* version() noexcept {
    return TAFFRAIL_VERSION;
}

}  // namespace taffrail
