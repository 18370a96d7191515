// A cell as people read it.
#pragma once

#include <taffrail/value.h>

#include <string>

namespace taffrail {

/// "true", "12", "0.5", a text as it is; null is "".
std::string cell_text(const Cell& cell);

}  // namespace taffrail
