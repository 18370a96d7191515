// JSON of settings and table rows as cells.
#pragma once

#include <taffrail/value.h>

#include "codec/json.h"

namespace taffrail {

/// A whole number stays one; lists and objects become their text.
Cell cell_of(const Json& json);

}  // namespace taffrail
