#include "base/strings.h"
#include "cli/commands.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "model/metric_meaning.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taffrail::cli {
namespace {

/// One line of the comparison: a name and its value in each run.
struct Difference {
    std::string name;
    std::vector<std::string> values;

    [[nodiscard]] bool differs() const {
        return std::any_of(values.begin(), values.end(),
                           [&](const auto& value) { return value != values[0]; });
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
        declare_root(arguments, root_);
        arguments.option("-k,--keys", pattern_, "GLOB", "only metrics that match");
        arguments.choice("--value", statistic_, {"summary", "last", "min", "max", "mean"},
                         "which number of a metric; summary is what define_metric named, else the "
                         "last");
        arguments.flag("-a,--all", all_, "settings that are the same too");
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override;

  private:
    [[nodiscard]] double value_of(const KeyInfo& key) const {
        const SeriesSummary& scalar = key.scalar;
        if (statistic_ == "summary") {
            return model::summary_of(key).value_or(std::nan(""));
        }
        const std::uint64_t finite = scalar.count - scalar.nan_count;
        return statistic_ == "min"    ? scalar.min
               : statistic_ == "max"  ? scalar.max
               : statistic_ == "mean" ? (finite > 0 ? scalar.sum / static_cast<double>(finite) : 0)
                                      : scalar.last;
    }

    void print_section(const Session& session, std::string_view title,
                       const std::vector<Difference>& rows, const std::vector<std::string>& names,
                       bool only_different) const;

    std::vector<std::string> targets_;
    std::string root_, pattern_, statistic_ = "summary";
    bool all_ = false, json_ = false;
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
        std::vector<std::string> cells{row.name};
        cells.insert(cells.end(), row.values.begin(), row.values.end());
        table.row(std::move(cells));
    }
    if (!table.empty()) {
        session.print(table.render(session) + "\n");
    }
}

ExitCode Compare::run(Session& session) {
    std::vector<std::shared_ptr<RecordedRun>> runs;
    std::vector<std::string> names;
    for (const std::string& target : targets_) {
        auto found = find_runs(session, target, root_);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        for (const std::string& id : found->ids) {
            auto run = found->catalogue->run(id);
            if (!run.ok()) {
                return session.fail(run.error());
            }
            runs.push_back(*run);
            names.push_back((*run)->info().name);
        }
    }
    if (runs.size() < 2) {
        return session.wrong_usage("compare needs two runs; " + targets_[0] +
                                   " is one (taffrail ls lists them)");
    }
    std::map<std::string, Difference> settings, metrics;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto put = [&](std::map<std::string, Difference>& to, const std::string& name,
                             std::string value) {
            Difference& row = to[name];
            row.name = name;
            row.values.resize(runs.size());
            row.values[i] = std::move(value);
        };
        for (const auto& [name, cell] : runs[i]->info().config) {
            put(settings, name, cell_text(cell));
        }
        for (const KeyInfo& key : runs[i]->keys()) {
            const bool wanted = pattern_.empty()
                                    ? !key.key.starts_with("system/") && !model::is_hidden(key)
                                    : glob_match(pattern_, key.key);
            if (key.kind == Kind::Scalar && wanted) {
                put(metrics, key.key,
                    json_ ? format_double(value_of(key)) : short_number(value_of(key)));
            }
        }
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
        return ExitCode::Ok;
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
            for (const std::string& value : row.values) {
                json.value(value);
            }
            json.end_array();
        }
        json.end_object();
    }
    session.print(json.end_object().text() + "\n");
    return ExitCode::Ok;
}

}  // namespace

std::unique_ptr<Command> make_compare() {
    return std::make_unique<Compare>();
}

}  // namespace taffrail::cli
