// Logged pictures as PNG files.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include <string>

namespace taffrail::sinks::terminal {

/// Writes `<folder>/<key>_<step>.png`, or `…_<step>_<i>.png` for a batch. Float pixels are clamped
/// to 0…1 and scaled to eight bits; PNG bytes are kept as they are.
Result<void> save_images(const std::string& folder, const Record& record);

}  // namespace taffrail::sinks::terminal
