// What building a tree from text needs besides the public interface.
#pragma once

#include <taffrail/config.h>

#include <string>

namespace taffrail {

/// A scalar with the type its text has: `3` whole, `1e-3` number, `true` truth, `null` and ""
/// nothing; quoted = text.
Config scalar_from_text(std::string text, bool quoted);

/// Adds a child to a map without looking for an older one of that name.
void append_entry(Config& map, std::string name, Config child);

}  // namespace taffrail
