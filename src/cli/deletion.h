// rm and restore, which differ in one bit.
#pragma once

#include "cli/args.h"

#include <cstdint>
#include <memory>

namespace taffrail::cli {

enum class Deletion : std::uint8_t { Hide, BringBack };

std::unique_ptr<Command> make_deletion(Deletion what);

}  // namespace taffrail::cli
