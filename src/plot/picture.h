// A sheet of charts as pixels, twice as fine as a page.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "plot/canvas.h"
#include "plot/chart.h"

namespace taffrail::plot {

/// An error where the sheet would be more than 400 million pixels.
Result<Canvas> draw(const Sheet& sheet);
Result<Bytes> to_png(const Sheet& sheet);

}  // namespace taffrail::plot
