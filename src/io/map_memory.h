// Pages without a file behind them.
#pragma once

#include "io/file.h"

namespace taffrail::io {

/// Zero pages of this process alone; they take memory when they are written to.
Result<Mapping> map_memory(std::size_t size);

}  // namespace taffrail::io
