#pragma once

#include <taffrail/api.h>

#define TAFFRAIL_VERSION_MAJOR 0
#define TAFFRAIL_VERSION_MINOR 1
#define TAFFRAIL_VERSION_PATCH 0
#define TAFFRAIL_VERSION "0.1.0"

namespace taffrail {

/// The version of the library that is linked, e.g. "0.1.0".
TAFFRAIL_API const char* version() noexcept;

}  // namespace taffrail
