#include "base/cell_text.h"
#include "base/grouped.h"
#include "base/strings.h"
#include "base/try.h"
#include "cli/charts.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/run_json.h"
#include "cli/run_profiles.h"
#include "cli/targets.h"
#include "cli/text_format.h"
#include "model/metric_meaning.h"
#include "model/run_time.h"
#include "terminal/format.h"
#include "terminal/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffrail::cli {
namespace {

class Show final : public Command {
  public:
    std::string_view name() const override { return "show"; }

    std::string_view summary() const override {
        return "Shows one run: summary, settings, metrics with small curves";
    }

    std::string_view example() const override {
        return "taffrail show vae-1 --plot val/loss\ntaffrail show logs/tensorboard/run-3 --keys "
               "'val/*'";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUN", target_, "name, id, run folder or logdir (default: the newest)",
                             false);
        declare_targets(arguments, where_);
        arguments.option("-k,--keys", pattern_, "GLOB", "only keys that match, e.g. 'val/*'");
        arguments.option("--plot", plot_, "KEY",
                         "draw this metric too; a pattern draws up to four");
        arguments.flag("--system", system_, "machine load too");
        arguments.flag("-e,--environment", environment_,
                       "command, code version, machine, packages");
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override;

  private:
    void print_head(const Session& session, const RunInfo& info) const;
    void print_metrics(const Session& session, const RecordedRun& run,
                       const std::vector<KeyInfo>& keys) const;
    [[nodiscard]] Result<void> print_plot(const Session& session) const;
    void print_others(const Session& session, const std::vector<KeyInfo>& keys) const;
    void print_cells(const Session& session, std::string_view title, const Hparams& cells) const;
    void print_profiles(const Session& session, const RunInfo& info) const;
    void print_json(const Session& session, const RecordedRun& run,
                    const std::vector<KeyInfo>& keys, const std::vector<Damage>& damage) const;

    TargetOptions where_;
    std::string target_, pattern_, plot_;
    bool system_ = false, environment_ = false, wide_ = false, json_ = false;
};

void Show::print_head(const Session& session, const RunInfo& info) const {
    const std::string dot = session.styled(Style::Dim, session.looks().utf8 ? " · " : " - ");
    const std::string name = wide_ ? info.name : terminal::cut_middle(info.name, kWidestCell);
    session.print("\n " + session.styled(Style::Bold, name) + "   " +
                  state_text(session, info.state) + "\n ");
    if (info.deleted) {
        session.print(session.styled(Style::Yellow,
                                     "deleted: `taffrail restore` brings it back "
                                     "until gc removes its bytes") +
                      "\n ");
    }
    std::string facts = session.styled(Style::Dim, info.id);
    if (!info.project.empty()) {
        facts += dot + terminal::without_controls(info.project);
    }
    if (info.start_time_ns != 0) {
        facts += dot + "started " + format_time_utc(info.start_time_ns).substr(0, 19) + "Z";
        facts += dot + "ran " + short_duration(model::duration_ns(info).value_or(-1));
    }
    if (info.attempts > 1) {
        facts += dot + std::to_string(info.attempts) + " attempts";
    }
    if (info.world_size > 1) {
        facts += dot + std::to_string(info.world_size) + " ranks";
    }
    if (info.source != "taffrail" && !info.source.empty()) {
        facts += dot + "from " + terminal::without_controls(info.source);
    }
    session.print(facts + "\n");
    std::string second;
    for (const std::string& tag : info.tags) {
        second += session.styled(Style::Cyan, "#" + tag) + "  ";
    }
    if (!info.group.empty()) {
        second += "group " + terminal::without_controls(info.group) + "  ";
    }
    if (!info.job_type.empty()) {
        second += "job " + terminal::without_controls(info.job_type);
    }
    if (!second.empty()) {
        session.print(" " + second + "\n");
    }
    if (!info.notes.empty()) {
        for (const std::string_view line : split(info.notes, '\n')) {
            session.print(" " + terminal::without_controls(line) + "\n");
        }
    }
    if (!info.message.empty()) {
        session.print(" " + session.styled(Style::Yellow, info.message) + "\n");
    }
}

/// "! 3 NaN, 1 inf": points that are no numbers, each kind by itself.
std::string odd_points(const SeriesSummary& scalar) {
    std::string text;
    for (const auto& [count, what] :
         {std::pair{scalar.nan_count, " NaN"}, std::pair{scalar.positive_infinity_count, " inf"},
          std::pair{scalar.negative_infinity_count, " -inf"}}) {
        if (count > 0) {
            text += (text.empty() ? "! " : ", ") + grouped(count) + what;
        }
    }
    return text;
}

void Show::print_metrics(const Session& session, const RecordedRun& run,
                         const std::vector<KeyInfo>& keys) const {
    const auto curve_width =
        static_cast<std::size_t>(std::clamp(session.looks().width - 76, 12, 40));
    TextTable table;
    table.column("METRIC");
    table.column("");
    table.column("LAST", TextTable::Align::Right);
    table.column("MIN", TextTable::Align::Right);
    table.column("MAX", TextTable::Align::Right);
    table.column("POINTS", TextTable::Align::Right);
    table.column("STEPS", TextTable::Align::Right);
    table.column("");
    bool any_nan = false, any_infinity = false;
    for (const KeyInfo& key : keys) {
        if (key.kind != Kind::Scalar) {
            continue;
        }
        std::string curve;
        BinRequest request;
        request.width = curve_width;
        if (auto bins = run.bins(key.key, request); bins.ok() && bins->size() > 0) {
            // The reply snaps to its own edges or gives single points; spread either over the
            // columns we have.
            std::vector<double> columns(curve_width, std::nan(""));
            for (std::size_t i = 0; i < bins->size(); ++i) {
                if (bins->count[i] > 0) {
                    columns[i * curve_width / bins->size()] = bins->mean[i];
                }
            }
            for (std::size_t i = 1; i < columns.size(); ++i) {
                columns[i] = std::isnan(columns[i]) && bins->size() < curve_width ? columns[i - 1]
                                                                                  : columns[i];
            }
            curve = sparkline(columns, session.looks().utf8);
        }
        const SeriesSummary& scalar = key.scalar;
        const bool odd = scalar.nan_count + scalar.infinity_count() > 0;
        any_nan = any_nan || scalar.nan_count > 0;
        any_infinity = any_infinity || scalar.infinity_count() > 0;
        // The number that stands for the metric is bold, the best one has a star.
        const Summary stands = key.definition ? key.definition->summary : Summary::Last;
        const Goal goal = key.definition ? key.definition->goal : Goal::None;
        const std::string star = session.looks().utf8 ? "★" : "*";
        const auto number = [&](std::optional<double> value, Summary which, Goal best) {
            const bool is_best = goal == best && best != Goal::None;
            return TableCell(value ? short_number(*value) + (is_best ? star : "") : "",
                             stands == which ? Style::Bold : Style::Plain);
        };
        table.row({key.key,
                   {curve, Style::Cyan},
                   number(scalar.newest(), Summary::Last, Goal::None),
                   number(scalar.smallest(), Summary::Min, Goal::Minimize),
                   number(scalar.largest(), Summary::Max, Goal::Maximize),
                   {grouped(scalar.count), odd ? Style::Red : Style::Plain},
                   scalar.count == 0
                       ? std::string()
                       : std::to_string(scalar.first_step) + "…" + std::to_string(scalar.last_step),
                   {odd_points(scalar), Style::Red}});
    }
    if (!table.empty()) {
        session.print("\n" + table.render(session, " ", fit_of(wide_)));
        if (any_nan || any_infinity) {
            session.print(" " + session.styled(Style::Red, "!") +
                          session.styled(Style::Dim, any_nan && any_infinity
                                                         ? " holds NaN, infinities"
                                                     : any_nan ? " holds NaN"
                                                               : " holds infinities") +
                          "\n");
        }
    }
}

Result<void> Show::print_plot(const Session& session) const {
    TAFFRAIL_ASSIGN(const Target found, find_runs(session, target_, where_));
    TAFFRAIL_ASSIGN(auto run, found.catalogue->run(found.ids.front()));
    const auto slots = slots_of(*found.catalogue);
    const auto slot = slots.find(run->info().id);
    const ChartRun shown{std::move(run), slot == slots.end() ? 0 : slot->second};
    return print_charts(session, {&shown, 1}, plot_);
}

void Show::print_others(const Session& session, const std::vector<KeyInfo>& keys) const {
    TextTable table;
    table.column("MEDIA");
    table.column("");
    table.column("", TextTable::Align::Right);
    for (const KeyInfo& key : keys) {
        const bool own_section = key.kind == Kind::Scalar || key.kind == Kind::Hparams ||
                                 key.kind == Kind::Tag || key.kind == Kind::Note;
        if (!own_section) {
            table.row(
                {key.key, {std::string(to_string(key.kind)), Style::Dim}, grouped(key.count)});
        }
    }
    if (!table.empty()) {
        session.print("\n" + table.render(session, " ", fit_of(wide_)));
    }
}

void Show::print_cells(const Session& session, std::string_view title, const Hparams& cells) const {
    if (cells.empty()) {
        return;
    }
    TextTable table;
    table.column(std::string(title));
    table.column("");
    for (const auto& [name, cell] : cells) {
        const auto* text = std::get_if<std::string>(&cell);
        const std::string shown = text != nullptr ? *text : cell_text(cell);
        const std::size_t line_end = shown.find('\n');
        table.row({name, shown.substr(0, line_end) + (line_end < shown.size() ? " …" : "")});
    }
    session.print("\n" + table.render(session, " ", fit_of(wide_)));
}

void Show::print_profiles(const Session& session, const RunInfo& info) const {
    TextTable table;
    table.column("PROFILES");
    table.column("", TextTable::Align::Right);
    const auto profiles = profiles_of(info.location);
    for (const RunProfile& profile : profiles) {
        table.row({terminal::without_controls(profile.name),
                   terminal::format_bytes(static_cast<double>(profile.bytes))});
    }
    if (!profiles.empty()) {
        session.print("\n" + table.render(session, " ", fit_of(wide_)));
    }
    for (const std::string& line : zones_left_open(info.location)) {
        session.print(" " + session.styled(Style::Yellow, "killed in") + " " +
                      terminal::without_controls(line) + "\n");
    }
}

void Show::print_json(const Session& session, const RecordedRun& run,
                      const std::vector<KeyInfo>& keys, const std::vector<Damage>& damage) const {
    JsonWriter json(1);
    json.begin_object().key("run");
    write_run(json, run.info());
    json.key("keys").begin_array();
    for (const KeyInfo& key : keys) {
        write_key(json, key);
    }
    json.end_array().key("environment").begin_object();
    for (const auto& [name, cell] : run.environment()) {
        json.member(name, cell);
    }
    json.end_object().key("profiles").begin_array();
    const bool native = run.info().source == "taffrail";
    for (const RunProfile& profile :
         native ? profiles_of(run.info().location) : std::vector<RunProfile>()) {
        json.begin_object().member("name", profile.name).member("bytes", profile.bytes);
        json.end_object();
    }
    json.end_array().key("open_zones").begin_array();
    for (const std::string& line :
         native ? zones_left_open(run.info().location) : std::vector<std::string>()) {
        json.value(line);
    }
    json.end_array().key("damage");
    write_damage(json, damage);
    session.print(json.end_object().text() + "\n");
}

ExitCode Show::run(Session& session) {
    auto found = find_run(session, target_, where_);
    if (!found.ok()) {
        return session.fail(found.error());
    }
    const RecordedRun& run = **found;
    std::vector<KeyInfo> keys = run.keys();
    if (const auto known = keys_fit(keys, pattern_, "key"); !known.ok()) {
        return session.fail(known.error());
    }
    std::erase_if(keys, [&](const KeyInfo& key) {
        return (!pattern_.empty() && !glob_match(pattern_, key.key)) ||
               (pattern_.empty() && !json_ &&
                ((!system_ && key.key.starts_with("system/")) || model::is_hidden(key)));
    });
    const RunInfo info = run.info();
    if (json_) {
        // The curves of the text come upon damage in the points; JSON tells the same.
        for (const KeyInfo& key : keys) {
            if (key.kind == Kind::Scalar) {
                (void)run.bins(key.key, BinRequest{.width = 12});
            }
        }
        const auto damage = run.damage();
        print_json(session, run, keys, damage);
        return report_damage(session, info.name, damage);
    }
    print_head(session, info);
    print_metrics(session, run, keys);
    if (!plot_.empty()) {
        if (const Result<void> drawn = print_plot(session); !drawn.ok()) {
            return session.fail(drawn.error());
        }
    }
    if (!info.summary.empty()) {
        print_cells(session, "SUMMARY", Hparams(info.summary.begin(), info.summary.end()));
    }
    print_others(session, keys);
    print_cells(session, "SETTINGS", info.config);
    if (environment_) {
        print_cells(session, "ENVIRONMENT", run.environment());
    }
    if (info.source == "taffrail") {
        print_profiles(session, info);
    }
    const auto damage = run.damage();
    if (!damage.empty()) {
        session.print(
            "\n " +
            session.styled(Style::Red,
                           std::to_string(damage.size()) +
                               (damage.size() == 1 ? " damaged place" : " damaged places")) +
            "; taffrail verify " + terminal::without_controls(info.location) + " lists them\n");
    }
    session.print("\n");
    return report_damage(session, info.name, damage);
}

}  // namespace

std::unique_ptr<Command> make_show() {
    return std::make_unique<Show>();
}

}  // namespace taffrail::cli
