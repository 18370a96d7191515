#include "base/cell_text.h"
#include "base/parallel.h"
#include "base/strings.h"
#include "base/try.h"
#include "cli/charts.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "model/metric_meaning.h"
#include "model/run_keys.h"
#include "model/run_time.h"
#include "query/cells.h"
#include "query/filter.h"
#include "terminal/text.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

namespace taffrail::cli {
namespace {

// Below this many runs threads cost more than they bring.
constexpr std::size_t kWorthListThreads = 64;

/// Asks every run something that may have to read its keys.
template <typename Ask>
void for_each_run(std::size_t runs, Ask ask) {
    const std::size_t threads =
        runs < kWorthListThreads ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    for_each_index(runs, threads, ask);
}

/// A run with its keys, which are read only where a name is neither a field nor a setting of it:
/// thousands of runs are filtered by their settings without asking one. A run is asked by one
/// thread at a time.
class ListedRun {
  public:
    ListedRun(RunInfo about, std::shared_ptr<const Catalogue> catalogue)
        : info(std::move(about)), catalogue_(std::move(catalogue)) {}

    /// Until this thread asks another run.
    [[nodiscard]] const std::vector<KeyInfo>& keys() const {
        if (keys_) {
            return *keys_;
        }

        // A catalogue that knows them tells them again at once: those of one run are enough to
        // hold, where those of all would be gigabytes.
        thread_local struct {
            std::uint64_t of = 0;
            std::vector<KeyInfo> keys;
        } last;

        if (last.of == number_) {
            return last.keys;
        }
        auto found = model::keys_of(*catalogue_, info.id);
        asked_ = true;
        std::vector<KeyInfo> keys;
        if (found.ok()) {
            keys = std::move(found->keys);
            damage_ = std::move(found->damage);
        } else {
            damage_ = {{info.location, 0, 0, 0, 0, found.error().message}};
        }
        if (dynamic_cast<const model::KnowsKeys*>(catalogue_.get()) == nullptr) {
            return keys_.emplace(std::move(keys));
        }
        last.of = number_;
        return last.keys = std::move(keys);
    }

    [[nodiscard]] bool knows_keys() const noexcept { return asked_; }

    /// What could not be read, where anything was.
    [[nodiscard]] const std::vector<Damage>& damage() const noexcept { return damage_; }

    [[nodiscard]] query::RunSubject subject() const {
        return query::RunSubject(info, [this] { return &keys(); });
    }

    RunInfo info;

  private:
    static std::uint64_t next_number() noexcept {
        static std::atomic<std::uint64_t> last = 0;
        return ++last;
    }

    std::shared_ptr<const Catalogue> catalogue_;
    std::uint64_t number_ = next_number();
    mutable bool asked_ = false;
    mutable std::optional<std::vector<KeyInfo>> keys_;
    mutable std::vector<Damage> damage_;
};

class Ls final : public Command {
  public:
    std::string_view name() const override { return "ls"; }

    std::string_view summary() const override { return "Lists runs, newest first"; }

    std::string_view example() const override {
        return "taffrail ls --filter 'lr<1e-3 and tag:ablation' --sort val/loss.min --columns "
               "lr,val/loss.min";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("PATH", path_, "a root, a run folder or a logdir", false);
        declare_root(arguments, root_);
        arguments.option("-f,--filter", filter_, "EXPR",
                         "only runs for which this holds, e.g. 'lr<1e-3 and tag:ablation' or "
                         "'started>7d and duration>1h'");
        arguments.option("-s,--sort", sort_, "NAME",
                         "by a field, a setting or a metric (val/loss.min), the best first where "
                         "define_metric said what is best; -NAME turns it round");
        arguments.option("-c,--columns", columns_, "NAMES", "more columns, separated by commas");
        arguments.count("-n,--limit", limit_, "N", "at most N runs; 0 is all of them");
        arguments.option("--plot", plot_, "KEY",
                         "draw this metric of the runs listed; a pattern draws up to four");
        arguments.flag("-a,--all", all_, "deleted runs too, until gc");
        arguments.flag("-q,--quiet", quiet_, "ids only");
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines: the runs, with the values of --columns");
    }

    ExitCode run(Session& session) override;

  private:
    Result<std::vector<ListedRun>> collect(const std::shared_ptr<Catalogue>& catalogue,
                                           const query::Filter& filter) const;
    Result<void> sort(std::vector<ListedRun>& runs) const;
    void print_table(const Session& session, const std::vector<ListedRun>& runs) const;
    void print_json(const Session& session, const std::vector<ListedRun>& runs) const;
    [[nodiscard]] Result<void> print_plot(const Session& session, const Catalogue& catalogue,
                                          const std::vector<ListedRun>& listed) const;
    [[nodiscard]] std::vector<std::string> extra_columns() const;
    void warn_of_unknown_columns(const Session& session, const std::vector<ListedRun>& runs) const;
    static std::string no_such_name(const std::string& name, std::string_view purpose,
                                    const std::vector<ListedRun>& runs);

    static Cell first_value(const ListedRun& run, std::string_view name);

    std::string path_, root_, filter_, sort_, columns_, plot_;
    std::int64_t limit_ = 0;
    bool all_ = false, quiet_ = false, wide_ = false, json_ = false;
};

Cell Ls::first_value(const ListedRun& run, std::string_view name) {
    auto values = run.subject().values(name);
    return values.empty() ? Cell() : values.front();
}

/// Whether a metric that `name` means as it stands was defined with this goal.
bool has_goal(const ListedRun& run, std::string_view name, Goal goal) {
    return std::ranges::any_of(run.keys(), [&](const KeyInfo& key) {
        return key.key == name && key.kind == Kind::Scalar && key.definition &&
               key.definition->goal == goal;
    });
}

std::vector<std::string> Ls::extra_columns() const {
    std::vector<std::string> names;
    for (std::string_view name : split(columns_, ',')) {
        if (!trim(name).empty()) {
            names.emplace_back(trim(name));
        }
    }
    return names;
}

// Nothing where it is known, as a field that no run has filled is.
std::string Ls::no_such_name(const std::string& name, std::string_view purpose,
                             const std::vector<ListedRun>& runs) {
    std::vector<std::string> names;
    for (const ListedRun& run : runs) {
        run.subject().add_names(names);
    }
    // "loss", "loss.min", "metric.min:loss".
    const auto means = [&](const std::string& known) {
        return name == known || name.starts_with(known + ".") || name.ends_with(":" + known);
    };
    if (runs.empty() || std::ranges::any_of(names, means)) {
        return {};
    }
    return "no run has '" + name + "'" + std::string(purpose) + did_you_mean(name, names) +
           " (a field, a setting, or a metric as taffrail show lists them)";
}

void Ls::warn_of_unknown_columns(const Session& session, const std::vector<ListedRun>& runs) const {
    for (const std::string& name : extra_columns()) {
        const bool is_known = std::ranges::any_of(
            runs, [&](const auto& run) { return first_value(run, name).index() != 0; });
        if (const std::string why = is_known ? "" : no_such_name(name, "", runs); !why.empty()) {
            session.warn(why);
        }
    }
}

Result<void> Ls::sort(std::vector<ListedRun>& runs) const {
    const bool reverse = sort_[0] == '-';
    const std::string by = sort_.substr(reverse ? 1 : 0);
    // Each run is asked once, not in every comparison.
    std::vector<std::pair<Cell, std::size_t>> order(runs.size());
    bool best_is_largest = false;
    for_each_run(runs.size(), [&](std::size_t i) { order[i] = {first_value(runs[i], by), i}; });
    const bool is_known =
        std::ranges::any_of(order, [](const auto& each) { return each.first.index() != 0; });
    for (std::size_t i = 0; i < runs.size() && !best_is_largest; ++i) {
        best_is_largest = runs[i].knows_keys() && has_goal(runs[i], by, Goal::Maximize);
    }
    // The best comes first: for a metric to maximize that is the largest.
    const bool descending = reverse != best_is_largest;
    if (const std::string why =
            is_known || by == "tags" ? "" : no_such_name(by, " to sort by", runs);
        !why.empty()) {
        return Error{ErrorCode::NotFound, why};
    }
    std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
        return query::compare_cells(a.first, b.first, descending) < 0;
    });
    std::vector<ListedRun> sorted;
    sorted.reserve(runs.size());
    for (const auto& [cell, run] : order) {
        sorted.push_back(std::move(runs[run]));
    }
    runs = std::move(sorted);
    return {};
}

Result<std::vector<ListedRun>> Ls::collect(const std::shared_ptr<Catalogue>& catalogue,
                                           const query::Filter& filter) const {
    std::vector<ListedRun> runs;
    for (RunInfo& info : catalogue->runs(all_)) {
        runs.emplace_back(std::move(info), catalogue);
    }
    if (!filter.empty()) {
        std::vector<std::unique_ptr<query::FilterSubject>> subjects;
        for (const ListedRun& run : runs) {
            subjects.push_back(std::make_unique<query::RunSubject>(run.subject()));
        }
        TAFFRAIL_TRY(filter.check(subjects));
        std::vector<std::uint8_t> matches(runs.size());
        for_each_run(runs.size(), [&](std::size_t i) {
            matches[i] = filter.matches(runs[i].subject()) ? 1 : 0;
        });
        std::vector<ListedRun> matching;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (matches[i] != 0) {
                matching.push_back(std::move(runs[i]));
            }
        }
        runs = std::move(matching);
    }
    if (!sort_.empty()) {
        TAFFRAIL_TRY(sort(runs));
    }
    if (limit_ > 0 && runs.size() > static_cast<std::size_t>(limit_)) {
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(limit_), runs.end());
    }
    return runs;
}

void Ls::print_table(const Session& session, const std::vector<ListedRun>& runs) const {
    const auto any = [&](auto has) {
        return std::any_of(runs.begin(), runs.end(),
                           [&](const ListedRun& r) { return has(r.info); });
    };
    const bool projects = any([&](const RunInfo& r) { return r.project != runs[0].info.project; });
    const bool groups = any([](const RunInfo& r) { return !r.group.empty(); });
    const bool tags = any([](const RunInfo& r) { return !r.tags.empty(); });
    const std::vector<std::string> extra = extra_columns();
    TextTable table;
    table.column("RUN");
    table.column("STATE");
    table.column("STARTED", TextTable::Align::Right);
    table.column("RAN", TextTable::Align::Right);
    for (const std::string& name : extra) {
        table.column(name, TextTable::Align::Right);
    }
    if (projects) {
        table.column("PROJECT");
    }
    if (groups) {
        table.column("GROUP");
    }
    if (tags) {
        table.column("TAGS");
    }
    table.column("ID");
    for (const ListedRun& run : runs) {
        const RunInfo& info = run.info;
        std::vector<TableCell> cells{
            {info.name + (info.deleted ? " (deleted)" : ""),
             info.deleted ? Style::Dim : Style::Bold},
            state_cell(session, info.state),
            relative_time(info.start_time_ns, session.now_ns),
            info.start_time_ns != 0 ? short_duration(model::duration_ns(info).value_or(-1)) : ""};
        for (const std::string& name : extra) {
            const Cell cell = first_value(run, name);
            const auto* number = std::get_if<double>(&cell);
            cells.emplace_back(number != nullptr ? short_number(*number) : cell_text(cell));
        }
        if (projects) {
            cells.emplace_back(info.project);
        }
        if (groups) {
            cells.emplace_back(info.group);
        }
        if (tags) {
            std::string list;
            for (const std::string& tag : info.tags) {
                list += (list.empty() ? "" : ", ") + tag;
            }
            cells.emplace_back(list, Style::Cyan);
        }
        cells.emplace_back(info.id, Style::Dim);
        table.row(std::move(cells));
    }
    session.print(table.render(session, "", fit_of(wide_)));
}

void Ls::print_json(const Session& session, const std::vector<ListedRun>& runs) const {
    const std::vector<std::string> extra = extra_columns();
    JsonWriter json(1);
    json.begin_array();
    for (const ListedRun& run : runs) {
        write_run(json, run.info, [&] {
            if (extra.empty()) {
                return;
            }
            json.key("columns").begin_object();
            for (const std::string& name : extra) {
                json.member(name, first_value(run, name));
            }
            json.end_object();
        });
    }
    session.print(json.end_array().text() + "\n");
}

Result<void> Ls::print_plot(const Session& session, const Catalogue& catalogue,
                            const std::vector<ListedRun>& listed) const {
    auto slots = slots_of(catalogue);
    std::vector<ChartRun> drawn;
    for (const ListedRun& run : listed) {
        TAFFRAIL_ASSIGN(auto opened, catalogue.run(run.info.id));
        drawn.push_back({std::move(opened), slots[run.info.id]});
    }
    return print_charts(session, drawn, plot_);
}

ExitCode Ls::run(Session& session) {
    const auto filter = query::Filter::compile(filter_, session.now_ns);
    if (!filter.ok()) {
        return session.wrong_usage("ls: " + filter.error().message);
    }
    const auto catalogue = session.open(path_.empty() ? default_root(root_) : path_);
    if (!catalogue.ok()) {
        return session.fail(catalogue.error());
    }
    auto runs = collect(*catalogue, *filter);
    if (!runs.ok()) {
        return runs.error().code == ErrorCode::InvalidArgument
                   ? session.wrong_usage("ls: " + runs.error().message)
                   : session.fail(runs.error());
    }
    warn_of_unknown_columns(session, *runs);
    if (json_) {
        print_json(session, *runs);
    } else if (quiet_) {
        for (const ListedRun& run : *runs) {
            session.print(terminal::without_controls(run.info.id) + "\n");
        }
    } else if (!runs->empty()) {
        print_table(session, *runs);
        if (!plot_.empty()) {
            if (const Result<void> drawn = print_plot(session, **catalogue, *runs); !drawn.ok()) {
                return session.fail(drawn.error());
            }
        }
    } else if ((*catalogue)->unreadable().empty()) {
        session.warn(!filter_.empty() ? "no run matches " + filter_
                     : !(*catalogue)->runs(true).empty()
                         ? "only deleted runs here; --all lists them"
                         : "no runs here yet");
    }
    ExitCode outcome = report_unreadable(session, **catalogue);
    for (const ListedRun& run : *runs) {
        outcome = worse(outcome, report_damage(session, run.info.name, run.damage()));
    }
    return outcome;
}

}  // namespace

std::unique_ptr<Command> make_ls() {
    return std::make_unique<Ls>();
}

}  // namespace taffrail::cli
