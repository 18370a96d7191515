#include "cli/export/pictures.h"

#include "base/try.h"
#include "plot/picture.h"
#include "plot/svg.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

constexpr std::size_t kMostCharts = 12;

}  // namespace

Result<Picture> export_charts(const PictureRequest& request) {
    const std::vector<std::string> metrics = ranked_metrics(request.runs, request.pattern);
    if (metrics.empty()) {
        return Error{
            ErrorCode::NotFound,
            "there is no metric to draw" +
                (request.pattern.empty() ? "" : " that matches '" + request.pattern + "'") +
                " (taffrail show lists the keys of a run)"};
    }
    plot::Sheet sheet;
    sheet.theme = request.dark ? plot::Theme::Dark : plot::Theme::Light;
    OpenedRuns opened(request.runs);
    // A chart of a picture is 500 pixels wide, and drawn at twice that.
    const std::size_t width = request.format == "png" ? 1000 : 500;
    for (std::size_t i = 0; i < std::min(metrics.size(), kMostCharts); ++i) {
        sheet.charts.push_back(chart_of(
            opened, request.runs, metrics[i],
            {.x = request.x, .log_y = request.log_y, .width = width, .theme = sheet.theme}));
    }
    Picture picture{{}, sheet.charts.size(), metrics.size()};
    if (request.format == "svg") {
        picture.bytes = plot::to_svg(sheet);
        return picture;
    }
    TAFFRAIL_ASSIGN(const Bytes png, plot::to_png(sheet));
    picture.bytes.assign(reinterpret_cast<const char*>(png.data()), png.size());
    return picture;
}

}  // namespace taffrail::cli
