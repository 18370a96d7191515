// export --format html: the page out of the program, with the frames that the server would send.
#include "base/try.h"
#include "cli/export/pictures.h"
#include "codec/gzip.h"
#include "codec/json_writer.h"
#include "codec/single_page.h"
#include "query/chart/chart.h"
#include "server/assets.h"
#include "server/frame.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

constexpr std::size_t kMostPageCharts = 60;
constexpr std::size_t kMostBins = 4000;
constexpr std::size_t kLeastBins = 250;
/// What the numbers of all charts may take, packed: with the page and its pictures the file stays
/// below 5 MB.
constexpr std::size_t kFrameBytes = 2'600'000;
constexpr std::size_t kPictureBytes = 900'000;

Result<std::string> page_template() {
    for (const server::Asset& asset : server::embedded_assets()) {
        if (asset.name == "standalone.html") {
            if (asset.encoding != "gzip") {
                return std::string(asset.bytes);
            }
            TAFFRAIL_ASSIGN(const Bytes whole, gunzip(as_bytes(asset.bytes), 16u << 20));
            return std::string(reinterpret_cast<const char*>(whole.data()), whole.size());
        }
    }
    return Error{ErrorCode::Unsupported,
                 "this build has no page inside (TAFFRAIL_UI=OFF); --format svg and png need none"};
}

/// The newest picture of each key, as it was stored, while there is room; how many had none.
std::size_t write_pictures(JsonWriter& json, std::span<const ChartRun> runs) {
    std::size_t left_out = 0, used = 0;
    json.key("pictures").begin_array();
    for (std::size_t r = 0; r < runs.size(); ++r) {
        for (const KeyInfo& key : runs[r].run->keys()) {
            if (key.kind != Kind::Image || key.count == 0) {
                continue;
            }
            const auto entries = runs[r].run->entries(key.key);
            if (!entries.ok() || entries->empty()) {
                continue;
            }
            const auto* image = std::get_if<Image>(entries->back().value.get());
            const bool known = image != nullptr && !image->images.empty() &&
                               (image->format == "png" || image->format == "jpeg");
            const bool fits = known && image->images.front().ref.size <= kPictureBytes - used;
            const auto loaded = fits ? runs[r].run->load(image->images.front().ref)
                                     : Error{ErrorCode::Unsupported, "no picture for a page"};
            if (!loaded.ok()) {
                ++left_out;
                continue;
            }
            const std::vector<std::byte>& bytes = **loaded;
            used += bytes.size();
            json.begin_object()
                .member("run", r)
                .member("key", key.key)
                .member("step", static_cast<std::int64_t>(entries->back().step))
                .member("source", "data:image/" + image->format + ";base64," + base64(bytes))
                .end_object();
        }
    }
    json.end_array();
    return left_out;
}

void write_runs(JsonWriter& json, std::span<const ChartRun> runs, const OpenedRuns& opened) {
    json.key("runs").begin_array();
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const RunInfo& info = opened.details(opened.ids()[r])->info;
        json.begin_object()
            .member("id", opened.ids()[r])
            .member("name", info.name)
            .member("state", to_string(info.state))
            .member("color", info.color)
            .member("slot", runs[r].slot);
        json.key("config").begin_object();
        for (const auto& [name, cell] : info.config) {
            json.member(name, cell);
        }
        json.end_object().end_object();
    }
    json.end_array();
}

void write_goals(JsonWriter& json, std::span<const std::string> metrics, const OpenedRuns& opened) {
    json.key("goals").begin_object();
    for (const std::string& metric : metrics) {
        if (const Goal goal = goal_of(opened, metric); goal != Goal::None) {
            json.member(metric, goal == Goal::Minimize ? "minimize" : "maximize");
        }
    }
    json.end_object();
}

/// One frame for each metric, as the server sends them, packed.
Bytes frames_of(OpenedRuns& opened, std::span<const std::string> metrics, const std::string& x,
                std::size_t bins) {
    std::string frames;
    for (const std::string& metric : metrics) {
        query::ChartQuery query;
        query.runs = opened.ids();
        query.keys = {metric};
        query.x = axis_named(x);
        query.width = bins;
        query.raw_limit = bins;
        server::Frame frame{query::answer_chart(opened, query)};
        std::erase_if(frame.series, [](const auto& series) { return !series.current; });
        for (query::ChartSeries& series : frame.series) {
            series.last.clear();
        }
        frame.chart = metric;
        frame.precision = server::Precision::F32;
        frame.share_x = true;
        frames += server::encode_frame(frame);
    }
    return gzip(as_bytes(frames));
}

}  // namespace

Result<Picture> export_page(const PictureRequest& request) {
    const std::vector<std::string> metrics = ranked_metrics(request.runs, request.pattern);
    if (metrics.empty()) {
        return Error{ErrorCode::NotFound,
                     "there is no metric to show (taffrail show lists the keys of a run)"};
    }
    TAFFRAIL_ASSIGN(std::string page, page_template());
    OpenedRuns opened(request.runs);
    const std::size_t charts = std::min(metrics.size(), kMostPageCharts);
    std::size_t bins = kMostBins;
    Bytes packed = frames_of(opened, {metrics.data(), charts}, request.x, bins);
    while (packed.size() > kFrameBytes && bins > kLeastBins) {
        bins /= 2;
        packed = frames_of(opened, {metrics.data(), charts}, request.x, bins);
    }
    JsonWriter json;
    json.begin_object().member("bins", bins).member("x", request.x).member("log_y", request.log_y);
    json.member("charts", charts).member("metrics", metrics.size());
    write_goals(json, {metrics.data(), charts}, opened);
    write_runs(json, request.runs, opened);
    json.member("pictures_left_out", write_pictures(json, request.runs));
    const std::string inserted =
        json_element("runs", json.end_object().text()) + packed_element("frames", packed);
    constexpr std::string_view kMark = "<!--data-->";
    const std::size_t mark = page.find(kMark);
    if (mark == std::string::npos) {
        return Error{ErrorCode::Internal, "the page inside this build has no place for data"};
    }
    page.replace(mark, kMark.size(), inserted);
    return Picture{std::move(page), charts, metrics.size()};
}

}  // namespace taffrail::cli
