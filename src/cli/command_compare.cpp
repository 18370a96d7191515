#include "base/cell_text.h"
#include "base/grouped.h"
#include "base/strings.h"
#include "cli/charts.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/targets.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "model/metric_meaning.h"

#include <algorithm>
#include <map>

namespace taffrail::cli {
namespace {

/// One line of the comparison: a name and its value in each run.
struct Difference {
    std::string name;
    std::vector<Cell> values;
    std::vector<std::string> notes;  ///< beside the values: what a mean leaves out

    [[nodiscard]] bool differs() const {
        return std::any_of(values.begin(), values.end(), [&](const Cell& value) {
            return cell_text(value) != cell_text(values[0]);
        });
    }
};

class Compare final : public Command {
  public:
    std::string_view name() const override { return "compare"; }

    std::string_view summary() const override {
        return "Puts runs side by side: settings that differ, metrics";
    }

    std::string_view example() const override {
        return "taffrail compare vae-1 vae-2 --keys 'val/*'";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "two or more names, ids, folders or logdirs", true);
        declare_targets(arguments, where_);
        arguments.option("-k,--keys", pattern_, "GLOB", "only metrics that match");
        arguments.choice("--value", statistic_, {"summary", "last", "min", "max", "mean"},
                         "which number of a metric; summary is what define_metric named, else the "
                         "last");
        arguments.option("--plot", plot_, "KEY",
                         "draw this metric of all of them; a pattern draws up to four");
        arguments.flag("-a,--all", all_, "settings that are the same too");
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines: settings and metrics with their types");
    }

    ExitCode run(Session& session) override;

  private:
    /// Nothing where no point is finite: a run that diverged is not the best one.
    [[nodiscard]] Cell value_of(const KeyInfo& key) const {
        const SeriesSummary& scalar = key.scalar;
        const std::optional<double> value = statistic_ == "summary" ? model::summary_of(key)
                                            : statistic_ == "min"   ? scalar.smallest()
                                            : statistic_ == "max"   ? scalar.largest()
                                            : statistic_ == "mean"  ? scalar.mean()
                                                                    : scalar.newest();
        return value ? Cell(*value) : Cell();
    }

    /// What value_of() leaves out, in words.
    [[nodiscard]] std::string note_of(const KeyInfo& key) const {
        const SeriesSummary& scalar = key.scalar;
        const Summary wanted = key.definition ? key.definition->summary : Summary::Last;
        const bool is_mean =
            statistic_ == "mean" || (statistic_ == "summary" && wanted == Summary::Mean);
        if (scalar.count > 0 && scalar.finite_count() == 0) {
            return "nothing finite";
        }
        return is_mean && scalar.infinity_count() > 0
                   ? "without " + grouped(scalar.infinity_count()) + " inf"
                   : "";
    }

    void print_section(const Session& session, std::string_view title,
                       const std::vector<Difference>& rows, const std::vector<std::string>& names,
                       bool only_different) const;

    std::vector<std::string> targets_;
    TargetOptions where_;
    std::string pattern_, statistic_ = "summary";
    std::string plot_;
    bool all_ = false, wide_ = false, json_ = false;
};

void Compare::print_section(const Session& session, std::string_view title,
                            const std::vector<Difference>& rows,
                            const std::vector<std::string>& names, bool only_different) const {
    TextTable table;
    table.column(std::string(title));
    for (const std::string& name : names) {
        table.column(name, TextTable::Align::Right);
    }
    for (const Difference& row : rows) {
        if (only_different && !row.differs()) {
            continue;
        }
        std::vector<TableCell> cells{row.name};
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const auto* number = std::get_if<double>(&row.values[i]);
            std::string text = number != nullptr ? short_number(*number) : cell_text(row.values[i]);
            if (!row.notes[i].empty()) {
                text += (text.empty() ? "(" : " (") + row.notes[i] + ")";
            }
            cells.emplace_back(std::move(text));
        }
        table.row(std::move(cells));
    }
    if (!table.empty()) {
        session.print(table.render(session, "", fit_of(wide_)) + "\n");
    }
}

ExitCode Compare::run(Session& session) {
    std::vector<std::shared_ptr<RecordedRun>> runs;
    std::vector<std::string> names;
    std::vector<ChartRun> drawn;
    for (const std::string& target : targets_) {
        auto found = find_runs(session, target, where_);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        auto slots = slots_of(*found->catalogue);
        for (const std::string& id : found->ids) {
            auto run = found->catalogue->run(id);
            if (!run.ok()) {
                return session.fail(run.error());
            }
            runs.push_back(*run);
            drawn.push_back({*run, slots[id]});
            names.push_back((*run)->info().name);
        }
    }
    if (runs.size() < 2) {
        return session.wrong_usage("compare needs two runs; " + targets_[0] +
                                   " is one (taffrail ls lists them)");
    }
    std::vector<KeyInfo> scalars;
    for (const auto& run : runs) {
        std::ranges::copy_if(run->keys(), std::back_inserter(scalars),
                             [](const KeyInfo& key) { return key.kind == Kind::Scalar; });
    }
    if (const auto known = keys_fit(scalars, pattern_, "scalar key"); !known.ok()) {
        return session.fail(known.error());
    }
    std::map<std::string, Difference> settings, metrics;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto put = [&](std::map<std::string, Difference>& to, const std::string& name,
                             Cell value, std::string note = {}) {
            Difference& row = to[name];
            row.name = name;
            row.values.resize(runs.size());
            row.notes.resize(runs.size());
            row.values[i] = std::move(value);
            row.notes[i] = std::move(note);
        };
        for (const auto& [name, cell] : runs[i]->info().config) {
            put(settings, name, cell);
        }
        for (const KeyInfo& key : runs[i]->keys()) {
            const bool wanted = pattern_.empty()
                                    ? !key.key.starts_with("system/") && !model::is_hidden(key)
                                    : glob_match(pattern_, key.key);
            if (key.kind == Kind::Scalar && wanted) {
                put(metrics, key.key, value_of(key), note_of(key));
            }
        }
    }
    ExitCode outcome = ExitCode::Ok;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        outcome = worse(outcome, report_damage(session, names[i], runs[i]->damage_met()));
    }
    std::vector<Difference> setting_rows, metric_rows;
    for (auto& [name, row] : settings) {
        setting_rows.push_back(row);
    }
    for (auto& [name, row] : metrics) {
        metric_rows.push_back(row);
    }
    if (!json_) {
        print_section(session, "SETTING", setting_rows, names, !all_);
        print_section(session, "METRIC (" + statistic_ + ")", metric_rows, names, false);
        if (!plot_.empty()) {
            if (const Result<void> done = print_charts(session, drawn, plot_); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return outcome;
    }
    JsonWriter json(1);
    json.begin_object().key("runs").begin_array();
    for (const auto& run : runs) {
        json.value(run->info().id);
    }
    json.end_array();
    for (const auto& [title, rows] :
         {std::pair{"settings", &setting_rows}, std::pair{"metrics", &metric_rows}}) {
        json.key(title).begin_object();
        for (const Difference& row : *rows) {
            json.key(row.name).begin_array();
            for (const Cell& value : row.values) {
                json.value(value);
            }
            json.end_array();
        }
        json.end_object();
    }
    session.print(json.end_object().text() + "\n");
    return outcome;
}

}  // namespace

std::unique_ptr<Command> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace taffrail::cli
