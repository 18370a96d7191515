// Names in lists for machines: one of a megabyte must not make a list of thousands large, and two
// that begin alike must stay two.
#pragma once

#include "codec/json_writer.h"

#include <string_view>

namespace taffrail::profile {

inline constexpr std::size_t kLongestShownName = 1000;

/// The beginning of a long name, whole characters.
std::string_view shown_name(std::string_view whole) noexcept;

/// The members "name" and, where that is only the beginning, "cut": a mark of the whole name, the
/// same in every profile.
void write_name(JsonWriter& json, std::string_view whole);

}  // namespace taffrail::profile
