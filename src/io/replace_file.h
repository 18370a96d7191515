// Small files that are replaced often and may fall back: where a reader stands, what it saw.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <string_view>

namespace taffrail::io {

/// As write_file_atomically(), with half as many waits for the disk: a power cut may bring the
/// content before back, or no file where there was none, and never a part of either.
Result<void> replace_file(std::string_view url, ByteSpan bytes);

}  // namespace taffrail::io
