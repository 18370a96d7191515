// Charts as a picture, and as a page that needs no server.
#pragma once

#include "cli/charts.h"

#include <cstddef>
#include <span>
#include <string>

namespace taffrail::cli {

struct PictureRequest {
    std::span<const ChartRun> runs;
    std::string pattern;  ///< of metrics; "" = those people look at first
    std::string format;   ///< svg, png, html
    std::string x = "step";
    bool log_y = false, dark = false;
};

/// What was drawn, and of how many.
struct Picture {
    std::string bytes;
    std::size_t charts = 0, metrics = 0;
};

/// NotFound where no metric matches.
Result<Picture> export_charts(const PictureRequest& request);

/// One file with page, data and pictures inside, which opens from a disk.
Result<Picture> export_page(const PictureRequest& request);

}  // namespace taffrail::cli
