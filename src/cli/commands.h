// Every subcommand, by name; commands.cpp is the one list.
#pragma once

#include "cli/args.h"

#include <memory>
#include <vector>

namespace taffrail::cli {

std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_completion();
std::unique_ptr<Command> make_demo();
std::unique_ptr<Command> make_du();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_gc();
std::unique_ptr<Command> make_import();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_ls();
std::unique_ptr<Command> make_note();
std::unique_ptr<Command> make_restore();
std::unique_ptr<Command> make_rm();
std::unique_ptr<Command> make_seal();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_sync();
std::unique_ptr<Command> make_tag();
std::unique_ptr<Command> make_tail();
std::unique_ptr<Command> make_ui();
std::unique_ptr<Command> make_verify();
std::unique_ptr<Command> make_version();

/// In the order the overview shows them.
std::vector<CommandFactory> all_commands();

}  // namespace taffrail::cli
