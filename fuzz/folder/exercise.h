// Asks a folder everything that commands and the dashboard ask.
#pragma once

#include <taffrail/reader.h>

#include <string>

namespace taffrail::fuzzing {

/// keys, points, bins on every axis, entries, blobs, console, damage: the reader itself.
void read_everything(const Catalogue& catalogue);

/// Every command that only looks, at `root`.
void call_looking_commands(const std::string& root);
/// Every export and an import of `root` to below `scratch`, which is in memory and removed at the
/// end.
void call_copying_commands(const std::string& root, const std::string& scratch);
/// Every command that changes runs, on `root`: marks, seal, gc.
void call_changing_commands(const std::string& root);

/// Every route of the dashboard on `root`, with the keys and runs it names itself. An answer of 500
/// or more ends the program: the API promises that there is none.
void ask_every_route(const std::string& root);

}  // namespace taffrail::fuzzing
