// Every subcommand: one file each, command_NAME.cpp with make_NAME(). src/builtins/parts.cmake is
// the one list.
#pragma once

#include "cli/args.h"

#include <memory>
#include <vector>

namespace taffrail::cli {

/// In the order the overview shows them; made from the list.
std::vector<CommandFactory> all_commands();

}  // namespace taffrail::cli
