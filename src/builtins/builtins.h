// Everything that comes with the library and is found by name. The public functions that look
// something up (make_sink, registered_sources, …) live in this layer, above the parts and the lists
// they stand in: who can ask has all of them linked.
#pragma once

#include <taffrail/profiler.h>
#include <taffrail/reader.h>
#include <taffrail/routine.h>
#include <taffrail/sink.h>

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::builtins {

/// Puts every part of this build into its list; made from parts.cmake. Called once, by ready().
void register_parts();

/// The sink of that short or class name; nothing when there is none.
std::optional<SinkInfo> find_sink(std::string_view name);

/// docs/reference/options.md: a table of options for every part that has some.
std::string options_page();

}  // namespace taffrail::builtins
