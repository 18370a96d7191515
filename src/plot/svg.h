// A sheet of charts as SVG: vectors with axes and a legend, small by construction.
#pragma once

#include "plot/chart.h"

#include <string>

namespace taffrail::plot {

std::string to_svg(const Sheet& sheet);

}  // namespace taffrail::plot
