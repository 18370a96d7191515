// What moves in a flame graph: the style sheet and the script inside the SVG.
#pragma once

#include <string_view>

namespace taffrail::profile {

std::string_view flame_style();
std::string_view flame_script();

}  // namespace taffrail::profile
