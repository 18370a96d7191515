// Names in trackers that do not take every name: escaped, so that the way back is exact.
//
// A byte that a tracker refuses becomes `%` and two hexadecimal digits; a `%` that would read as
// such is escaped itself, and no name at all is `%-`. Two names never become one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace taffrail {

/// What a tracker takes. `refuses(name, i)` is asked for every byte: it may look at its place.
using Refuses = std::function<bool(std::string_view name, std::size_t index)>;

std::string escape_name(std::string_view name, const Refuses& refuses);
/// The name that escape_name() was given; other texts are changed where they hold such an escape.
std::string unescape_name(std::string_view escaped);

/// A key as a relative path of files: segments that would leave the folder, hide or hold control
/// characters are replaced, long ones cut. Not reversible; the caller makes it unique.
std::string path_of_key(std::string_view key);

}  // namespace taffrail
