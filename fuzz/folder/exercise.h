// Asks a catalogue everything that commands and the dashboard ask.
#pragma once

#include <taffrail/reader.h>

#include <memory>
#include <string>

namespace taffrail::fuzzing {

/// keys, points, bins on every axis, entries, blobs, console, damage, exports to nowhere, a copy
/// into `scratch` (a folder in memory).
void read_everything(const Catalogue& catalogue, const std::string& scratch);

/// Every route of the dashboard on `root`, with the keys and runs it names itself.
void ask_every_route(const std::string& root);

}  // namespace taffrail::fuzzing
