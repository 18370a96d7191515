#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "model/metric_meaning.h"
#include "query/filter.h"

#include <algorithm>
#include <cmath>

namespace taffrail::cli {
namespace {

/// A run with its keys, which are read only where a name is neither a field nor a setting of it:
/// thousands of runs are filtered by their settings without opening one.
class ListedRun {
  public:
    ListedRun(RunInfo about, std::shared_ptr<const Catalogue> catalogue)
        : info(std::move(about)), catalogue_(std::move(catalogue)) {}

    [[nodiscard]] const std::vector<KeyInfo>& keys() const {
        if (!keys_) {
            const auto opened = catalogue_->run(info.id);
            keys_ = opened.ok() ? (*opened)->keys() : std::vector<KeyInfo>();
        }
        return *keys_;
    }

    [[nodiscard]] bool knows_keys() const noexcept { return keys_.has_value(); }

    [[nodiscard]] query::RunSubject subject() const {
        return query::RunSubject(info, [this] { return &keys(); });
    }

    RunInfo info;

  private:
    std::shared_ptr<const Catalogue> catalogue_;
    mutable std::optional<std::vector<KeyInfo>> keys_;
};

/// Orders cells: numbers before text, null last.
bool comes_before(const Cell& a, const Cell& b) {
    const auto rank = [](const Cell& cell) {
        return cell.index() == 0 ? 2 : std::holds_alternative<std::string>(cell) ? 1 : 0;
    };
    if (rank(a) != rank(b)) {
        return rank(a) < rank(b);
    }
    const auto number = [](const Cell& cell) {
        if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
            return static_cast<double>(*whole);
        }
        const auto* real = std::get_if<double>(&cell);
        const auto* truth = std::get_if<bool>(&cell);
        return real != nullptr ? *real : truth != nullptr && *truth ? 1.0 : 0.0;
    };
    return rank(a) == 0 ? number(a) < number(b)
                        : rank(a) == 1 && std::get<std::string>(a) < std::get<std::string>(b);
}

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
                         "only runs for which this holds, e.g. 'lr<1e-3 and tag:ablation'");
        arguments.option("-s,--sort", sort_, "NAME",
                         "by a field, a setting or a metric (val/loss.min), the best first where "
                         "define_metric said what is best; -NAME turns it round");
        arguments.option("-c,--columns", columns_, "NAMES", "more columns, separated by commas");
        arguments.count("-n,--limit", limit_, "N", "at most N runs; 0 is all of them");
        arguments.flag("-a,--all", all_, "deleted runs too, until gc");
        arguments.flag("-q,--quiet", quiet_, "ids only");
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override;

  private:
    Result<std::vector<ListedRun>> collect(const Session& session,
                                           const query::Filter& filter) const;
    Result<void> sort(std::vector<ListedRun>& runs) const;
    void print_table(const Session& session, const std::vector<ListedRun>& runs) const;
    [[nodiscard]] bool has_deleted(const Session& session) const;

    static Cell first_value(const ListedRun& run, std::string_view name);

    std::string path_, root_, filter_, sort_, columns_;
    std::int64_t limit_ = 0;
    bool all_ = false, quiet_ = false, json_ = false;
};

Cell Ls::first_value(const ListedRun& run, std::string_view name) {
    if (name == "started") {
        return Cell(run.info.start_time_ns);
    }
    if (name == "duration") {
        return Cell(run.info.end_time_ns - run.info.start_time_ns);
    }
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

/// What runs can be sorted by, for suggestions.
std::vector<std::string> sortable_names(const std::vector<ListedRun>& runs) {
    std::vector<std::string> names{"name",  "project", "group",  "job_type", "state",   "tag",
                                   "notes", "id",      "source", "archived", "started", "duration"};
    for (const ListedRun& run : runs) {
        for (const auto& [name, cell] : run.info.config) {
            names.push_back(name);
        }
        for (const auto& [name, cell] : run.info.summary) {
            names.push_back(name);
        }
        for (const KeyInfo& key : run.keys()) {
            if (key.kind == Kind::Scalar) {
                names.push_back(key.key);
            }
        }
    }
    return names;
}

Result<void> Ls::sort(std::vector<ListedRun>& runs) const {
    const bool reverse = sort_[0] == '-';
    const std::string by = sort_.substr(reverse ? 1 : 0);
    // Each run is asked once, not in every comparison.
    std::vector<std::pair<Cell, std::size_t>> order;
    bool is_known = false, best_is_largest = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        order.emplace_back(first_value(runs[i], by), i);
        is_known = is_known || order.back().first.index() != 0;
    }
    for (std::size_t i = 0; i < runs.size() && !best_is_largest; ++i) {
        best_is_largest = runs[i].knows_keys() && has_goal(runs[i], by, Goal::Maximize);
    }
    // The best comes first: for a metric to maximize that is the largest.
    const bool descending = reverse != best_is_largest;
    if (!is_known && !runs.empty() && by != "tag" && by != "tags") {
        return Error{ErrorCode::NotFound,
                     "no run has '" + by + "' to sort by" + did_you_mean(by, sortable_names(runs)) +
                         " (a field, a setting, or a metric as taffrail show lists them)"};
    }
    std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
        const auto& [left, left_run] = a;
        const auto& [right, right_run] = b;
        // Runs without the value stay at the end either way.
        if (left.index() == 0 || right.index() == 0) {
            return left.index() != 0 && right.index() == 0;
        }
        return descending ? comes_before(right, left) : comes_before(left, right);
    });
    std::vector<ListedRun> sorted;
    sorted.reserve(runs.size());
    for (const auto& [cell, run] : order) {
        sorted.push_back(std::move(runs[run]));
    }
    runs = std::move(sorted);
    return {};
}

Result<std::vector<ListedRun>> Ls::collect(const Session& session,
                                           const query::Filter& filter) const {
    TAFFRAIL_ASSIGN(const auto catalogue,
                    session.open(path_.empty() ? default_root(root_) : path_));
    std::vector<ListedRun> runs;
    for (RunInfo& info : catalogue->runs(all_)) {
        ListedRun listed(std::move(info), catalogue);
        if (filter.matches(listed.subject())) {
            runs.push_back(std::move(listed));
        }
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
    std::vector<std::string> extra;
    for (std::string_view name : split(columns_, ',')) {
        if (!trim(name).empty()) {
            extra.emplace_back(trim(name));
        }
    }
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
        std::vector<std::string> cells{
            session.styled(info.deleted ? Style::Dim : Style::Bold, info.name) +
                (info.deleted ? " (deleted)" : ""),
            state_text(session, info.state), relative_time(info.start_time_ns, session.now_ns),
            info.start_time_ns != 0 ? short_duration(info.end_time_ns - info.start_time_ns) : ""};
        for (const std::string& name : extra) {
            const Cell cell = first_value(run, name);
            const auto* number = std::get_if<double>(&cell);
            cells.push_back(number != nullptr ? short_number(*number) : cell_text(cell));
        }
        if (projects) {
            cells.push_back(info.project);
        }
        if (groups) {
            cells.push_back(info.group);
        }
        if (tags) {
            std::string list;
            for (const std::string& tag : info.tags) {
                list += (list.empty() ? "" : ", ") + tag;
            }
            cells.push_back(session.styled(Style::Cyan, list));
        }
        cells.push_back(session.styled(Style::Dim, info.id));
        table.row(std::move(cells));
    }
    session.print(table.render(session));
}

bool Ls::has_deleted(const Session& session) const {
    const auto catalogue = session.open(path_.empty() ? default_root(root_) : path_);
    return catalogue.ok() && !(*catalogue)->runs(true).empty();
}

ExitCode Ls::run(Session& session) {
    const auto filter = query::Filter::compile(filter_);
    if (!filter.ok()) {
        return session.wrong_usage("ls: " + filter.error().message);
    }
    auto runs = collect(session, *filter);
    if (!runs.ok()) {
        return session.fail(runs.error());
    }
    if (json_) {
        JsonWriter json(1);
        json.begin_array();
        for (const ListedRun& run : *runs) {
            write_run(json, run.info);
        }
        session.print(json.end_array().text() + "\n");
    } else if (quiet_) {
        for (const ListedRun& run : *runs) {
            session.print(run.info.id + "\n");
        }
    } else if (runs->empty()) {
        session.warn(!filter_.empty()       ? "no run matches " + filter_
                     : has_deleted(session) ? "only deleted runs here; --all lists them"
                                            : "no runs here yet");
    } else {
        print_table(session, *runs);
    }
    return ExitCode::Ok;
}

}  // namespace

std::unique_ptr<Command> make_ls() {
    return std::make_unique<Ls>();
}

}  // namespace taffrail::cli
