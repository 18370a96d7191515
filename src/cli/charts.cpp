#include "cli/charts.h"

#include "base/strings.h"
#include "model/metric_meaning.h"
#include "plot/terminal_chart.h"
#include "query/chart/chart.h"
#include "terminal/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

namespace taffrail::cli {
namespace {

constexpr std::size_t kPrintedCharts = 4;
constexpr std::size_t kWidestLabel = 28;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Smaller is more interesting: losses, quality, the rest, learning rates, the machine. As the page
/// ranks its cards.
int interest_of(const std::string& metric) {
    std::string name = metric;
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.starts_with("system/") || name.starts_with("time/")) {
        return 4;
    }
    if (has_any(name, {"loss", "error", "perplexity", "nll"})) {
        return 0;
    }
    if (has_any(name,
                {"acc", "f1", "auc", "reward", "score", "bleu", "iou", "precision", "recall"})) {
        return 1;
    }
    return has_any(name, {"lr", "learning"}) ? 3 : 2;
}

plot::Line line_of(const query::ChartSeries& series, std::string label, plot::Color color) {
    plot::Line line{
        .label = std::move(label), .color = color, .x = {}, .y = {}, .low = {}, .high = {}};
    const bool spread =
        !series.raw && series.min.size() == series.bins() && series.max.size() == series.bins();
    for (std::size_t i = 0; i < series.bins(); ++i) {
        if (series.count[i] == 0) {
            continue;  // nothing was logged there: the line goes on
        }
        line.x.push_back(series.raw ? series.x[i] : (series.x[i] + series.x[i + 1]) / 2);
        line.y.push_back(series.mean[i]);
        if (spread) {
            line.low.push_back(series.min[i]);
            line.high.push_back(series.max[i]);
        }
    }
    return line;
}

/// What define_metric said of it, else what its name suggests.
bool smaller_is_better(const OpenedRuns& opened, const std::string& metric) {
    const Goal goal = goal_of(opened, metric);
    return goal == Goal::None ? interest_of(metric) == 0 : goal == Goal::Minimize;
}

/// Which of the runs are grey, because an older one of them wears their colour.
std::vector<bool> grey_of(std::span<const ChartRun> runs) {
    std::vector<std::optional<std::size_t>> slots;
    for (const ChartRun& entry : runs) {
        slots.push_back(entry.run->info().color.empty() ? std::optional(entry.slot) : std::nullopt);
    }
    return plot::grey_among(slots);
}

}  // namespace

Goal goal_of(const OpenedRuns& opened, std::string_view metric) {
    for (const std::string& id : opened.ids()) {
        for (const KeyInfo& key : opened.details(id)->keys) {
            if (key.key == metric && key.definition && key.definition->goal != Goal::None) {
                return key.definition->goal;
            }
        }
    }
    return Goal::None;
}

std::map<std::string, std::size_t> slots_of(const Catalogue& catalogue) {
    std::map<std::string, std::size_t> slots, next;
    const std::vector<RunInfo> newest_first = catalogue.runs(true);
    for (auto run = newest_first.rbegin(); run != newest_first.rend(); ++run) {
        slots[run->id] = next[run->project]++;
    }
    return slots;
}

plot::Color color_of(const RunInfo& info, std::size_t slot, plot::Theme theme) {
    if (info.color.empty()) {
        return plot::slot_color(theme, slot);
    }
    // A colour of the other theme's palette is that slot's in this one.
    const plot::Color chosen = plot::parse_color(info.color);
    const plot::Theme other = theme == plot::Theme::Dark ? plot::Theme::Light : plot::Theme::Dark;
    for (std::size_t i = 0; i < plot::kColorCount; ++i) {
        if (plot::slot_color(other, i) == chosen) {
            return plot::slot_color(theme, i);
        }
    }
    return chosen;
}

OpenedRuns::OpenedRuns(std::span<const ChartRun> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto details = std::make_shared<query::RunDetails>();
        details->info = runs[i].run->info();
        details->id = std::to_string(i) + "/" + details->info.id;
        details->keys = runs[i].run->keys();
        std::ranges::sort(details->keys, {}, &KeyInfo::key);
        ids_.push_back(details->id);
        runs_.emplace(details->id, Opened{details, runs[i].run});
    }
}

std::shared_ptr<const query::RunDetails> OpenedRuns::details(std::string_view id) const {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : found->second.details;
}

Result<std::shared_ptr<RecordedRun>> OpenedRuns::run(std::string_view id) const {
    const auto found = runs_.find(id);
    if (found == runs_.end()) {
        return Error{ErrorCode::NotFound, "no run " + std::string(id)};
    }
    return found->second.run;
}

std::vector<std::string> ranked_metrics(std::span<const ChartRun> runs,
                                        const std::string& pattern) {
    std::map<std::string, std::size_t> holders;
    for (const ChartRun& entry : runs) {
        for (const KeyInfo& key : entry.run->keys()) {
            const bool wanted = pattern.empty()
                                    ? !key.key.starts_with("system/") && !model::is_hidden(key)
                                    : glob_match(pattern, key.key);
            if (key.kind == Kind::Scalar && wanted && key.scalar.count > 0) {
                ++holders[key.key];
            }
        }
    }
    std::vector<std::string> names;
    for (const auto& [name, count] : holders) {
        names.push_back(name);
    }
    const auto rank = [&](const std::string& name) {
        const bool held_out = has_any(name, {"val", "test", "eval"});
        return std::tuple(interest_of(name), runs.size() - holders[name], !held_out);
    };
    std::ranges::stable_sort(names, {}, rank);
    return names;
}

std::vector<std::string> axis_names() {
    return {"step", "relative", "wall", "epoch", "samples"};
}

query::AxisQuery axis_named(std::string_view name) {
    query::AxisQuery axis;
    axis.axis = name == "relative"  ? Axis::RelativeTime
                : name == "wall"    ? Axis::WallTime
                : name == "epoch"   ? Axis::Epoch
                : name == "samples" ? Axis::Samples
                                    : Axis::Steps;
    return axis;
}

plot::Chart chart_of(OpenedRuns& opened, std::span<const ChartRun> runs, const std::string& metric,
                     const ChartStyle& style) {
    query::ChartQuery query;
    query.runs = opened.ids();
    query.keys = {metric};
    query.x = axis_named(style.x);
    query.width = style.width;
    const query::ChartAnswer answer = query::answer_chart(opened, query);
    plot::Chart chart;
    chart.title = metric;
    chart.x_title = style.x == "relative" ? "time since the start"
                    : style.x == "wall"   ? "time (UTC)"
                                          : style.x;
    chart.x_unit = style.x == "relative" ? plot::AxisUnit::Seconds
                   : style.x == "wall"   ? plot::AxisUnit::Time
                                         : plot::AxisUnit::Number;
    chart.whole_x = style.x == "step" || style.x == "samples";
    chart.smaller_is_better = smaller_is_better(opened, metric);
    chart.y_scale = style.log_y ? plot::Scale::Log : plot::Scale::Linear;
    const std::vector<bool> grey = grey_of(runs);
    for (const query::ChartSeries& series : answer.series) {
        if (!series.current || series.run < 0) {
            continue;
        }
        const std::string& id = answer.runs[static_cast<std::size_t>(series.run)];
        const auto place =
            static_cast<std::size_t>(std::ranges::find(opened.ids(), id) - opened.ids().begin());
        const RunInfo& info = opened.details(id)->info;
        const plot::Color color = grey[place] ? plot::theme_colors(style.theme).muted
                                              : color_of(info, runs[place].slot, style.theme);
        chart.lines.push_back(line_of(series, info.name, color));
    }
    return chart;
}

Result<void> print_charts(const Session& session, std::span<const ChartRun> runs,
                          const std::string& pattern) {
    const std::vector<std::string> metrics = ranked_metrics(runs, pattern);
    if (metrics.empty()) {
        std::set<std::string> known;
        for (const ChartRun& entry : runs) {
            for (const KeyInfo& key : entry.run->keys()) {
                if (key.kind == Kind::Scalar) {
                    known.insert(key.key);
                }
            }
        }
        return Error{
            ErrorCode::NotFound,
            "no metric matches '" + pattern + "'" +
                did_you_mean(pattern, std::vector<std::string>(known.begin(), known.end())) +
                " (taffrail show lists the keys of a run)"};
    }
    const auto columns = static_cast<std::size_t>(std::clamp(session.looks().width, 40, 120));
    OpenedRuns opened(runs);
    for (std::size_t i = 0; i < std::min(metrics.size(), kPrintedCharts); ++i) {
        plot::Chart chart =
            chart_of(opened, runs, metrics[i], {.width = columns * 2, .theme = plot::Theme::Dark});
        chart.title = terminal::without_controls(chart.title);
        for (plot::Line& line : chart.lines) {
            line.label = terminal::cut_middle(terminal::without_controls(line.label), kWidestLabel);
        }
        session.print("\n" + plot::to_terminal(chart, {.columns = columns,
                                                       .rows = 14,
                                                       .color = session.looks().color,
                                                       .utf8 = session.looks().utf8}));
    }
    if (metrics.size() > kPrintedCharts) {
        session.print(
            session.styled(Style::Dim, " " + std::to_string(metrics.size() - kPrintedCharts) +
                                           " more match; a closer pattern shows them\n"));
    }
    return {};
}

}  // namespace taffrail::cli
