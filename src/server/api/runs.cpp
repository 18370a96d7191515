// POST runs:query: which runs, in which order, with which columns; columnar.
#include "query/cells.h"
#include "query/columns.h"
#include "server/api/api.h"
#include "server/run_filter.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace taffrail::server {
namespace {

constexpr std::size_t kDistinctLimit = 100;

enum class Marked { Exclude, Include, Only };

Marked marked_member(const Json& body, std::string_view name) {
    const std::string text = body.string_or(name, "exclude");
    if (text == "exclude") {
        return Marked::Exclude;
    }
    if (text == "include") {
        return Marked::Include;
    }
    if (text == "only") {
        return Marked::Only;
    }
    refuse(400, "invalid", "'" + std::string(name) + "' is exclude, include or only");
}

bool passes(Marked rule, bool mark) {
    return rule == Marked::Include || (rule == Marked::Only) == mark;
}

struct SortColumn {
    std::string column;
    bool descending = false;
};

std::vector<SortColumn> sort_columns(const Json& body) {
    std::vector<SortColumn> columns;
    const Json* sort = body.find("sort");
    if (sort == nullptr || sort->is_null()) {
        return columns;
    }
    if (sort->array() == nullptr) {
        refuse(400, "invalid", "'sort' must be a list of {column, descending}");
    }
    for (const Json& item : *sort->array()) {
        const Json* column = item.find("column");
        if (column == nullptr || column->string() == nullptr) {
            refuse(400, "invalid", "every 'sort' item names a 'column'");
        }
        columns.push_back({*column->string(), item.truth_or("descending", false)});
    }
    return columns;
}

void sort_runs(RunList& runs, const std::vector<SortColumn>& columns) {
    // The least significant column first; stable sorts keep newest-first among equals.
    for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
        std::vector<std::pair<Cell, std::shared_ptr<const RunDetails>>> keyed;
        keyed.reserve(runs.size());
        for (auto& run : runs) {
            keyed.emplace_back(query::column_value(*run, column->column), run);
        }
        std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
            return query::compare_cells(a.first, b.first, column->descending) < 0;
        });
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i] = std::move(keyed[i].second);
        }
    }
}

struct ColumnFacts {
    std::size_t present = 0;
    std::set<std::string> distinct;
    bool numbers = false, texts = false, truths = false;
    double min = std::numeric_limits<double>::infinity(),
           max = -std::numeric_limits<double>::infinity();

    void add(const Cell& cell) {
        if (cell.index() == 0) {
            return;
        }
        ++present;
        if (distinct.size() < kDistinctLimit) {
            distinct.insert(query::cell_label(cell));
        }
        truths = truths || cell.index() == 1;
        texts = texts || cell.index() == 4;
        if (cell.index() == 2 || cell.index() == 3) {
            numbers = true;
            const double number = cell.index() == 2
                                      ? static_cast<double>(std::get<std::int64_t>(cell))
                                      : std::get<double>(cell);
            min = std::min(min, number);
            max = std::max(max, number);
        }
    }

    /// Of a metric that is NaN or infinite throughout: the run has it, and no value to show.
    void add_without_value() {
        ++present;
        numbers = true;
    }

    [[nodiscard]] const char* type() const {
        const int kinds = int{numbers} + int{texts} + int{truths};
        return kinds != 1 ? "mixed" : numbers ? "number" : texts ? "string" : "boolean";
    }
};

void write_directory(JsonWriter& json, const RunList& runs) {
    std::map<std::string, ColumnFacts> facts;
    for (const auto& run : runs) {
        for (const auto& [name, cell] : run->info.config) {
            facts["config:" + name].add(cell);
        }
        for (const auto& [name, cell] : run->info.summary) {
            facts["summary:" + name].add(cell);
        }
        for (const KeyInfo& key : run->keys) {
            if (key.kind == Kind::Scalar) {
                ColumnFacts& metric = facts["metric:" + key.key];
                if (const auto last = key.scalar.newest()) {
                    metric.add(Cell(*last));
                } else {
                    metric.add_without_value();
                }
            }
        }
    }
    std::vector<const std::pair<const std::string, ColumnFacts>*> ordered;
    for (const auto& column : facts) {
        ordered.push_back(&column);
    }
    const auto differs = [&](const ColumnFacts& column) {
        return column.distinct.size() > 1 || column.present < runs.size();
    };
    std::ranges::stable_partition(ordered,
                                  [&](const auto* column) { return differs(column->second); });
    json.key("columns").begin_array();
    for (const auto* column : ordered) {
        const ColumnFacts& fact = column->second;
        json.begin_object()
            .member("id", column->first)
            .member("type", fact.type())
            .member("present", fact.present)
            .member("distinct", fact.distinct.size());
        if (fact.numbers && fact.min <= fact.max) {
            json.member("min", fact.min).member("max", fact.max);
        }
        json.end_object();
    }
    json.end_array();
}

using Slots = std::unordered_map<const RunDetails*, std::size_t>;

/// A run's place in the order of creation of its project, whatever else is asked for: archived and
/// deleted runs keep theirs, so that a colour chosen by it never moves.
Slots slots_of(const RunList& newest_first) {
    std::unordered_map<std::string_view, std::size_t> next;
    Slots slots;
    slots.reserve(newest_first.size());
    for (auto run = newest_first.rbegin(); run != newest_first.rend(); ++run) {
        slots.emplace(run->get(), next[(*run)->info.project]++);
    }
    return slots;
}

template <typename Project>
void write_field(JsonWriter& json, std::string_view name,
                 std::span<const std::shared_ptr<const RunDetails>> runs, Project project) {
    json.key(name).begin_array();
    for (const auto& run : runs) {
        json.value(project(*run));
    }
    json.end_array();
}

void write_runs(JsonWriter& json, const ApiContext& context,
                std::span<const std::shared_ptr<const RunDetails>> runs, const Slots& slots) {
    json.key("runs").begin_object();
    write_field(json, "id", runs, [](const RunDetails& run) { return run.id; });
    write_field(json, "name", runs, [](const RunDetails& run) { return run.info.name; });
    write_field(json, "project", runs, [](const RunDetails& run) { return run.info.project; });
    write_field(json, "group", runs, [](const RunDetails& run) { return run.info.group; });
    write_field(json, "job_type", runs, [](const RunDetails& run) { return run.info.job_type; });
    write_field(json, "state", runs,
                [](const RunDetails& run) { return to_string(run.info.state); });
    write_field(json, "start_ms", runs,
                [](const RunDetails& run) { return to_ms(run.info.start_time_ns); });
    write_field(json, "end_ms", runs,
                [](const RunDetails& run) { return to_ms(run.info.end_time_ns); });
    write_field(json, "attempts", runs, [](const RunDetails& run) { return run.info.attempts; });
    write_field(json, "world_size", runs,
                [](const RunDetails& run) { return run.info.world_size; });
    json.key("tags").begin_array();
    for (const auto& run : runs) {
        json.begin_array();
        for (const std::string& tag : run->info.tags) {
            json.value(tag);
        }
        json.end_array();
    }
    json.end_array();
    write_field(json, "notes", runs, [](const RunDetails& run) { return run.info.notes; });
    write_field(json, "color", runs, [](const RunDetails& run) { return run.info.color; });
    write_field(json, "slot", runs, [&](const RunDetails& run) { return slots.at(&run); });
    write_field(json, "archived", runs, [](const RunDetails& run) { return run.info.archived; });
    write_field(json, "deleted", runs, [](const RunDetails& run) { return run.info.deleted; });
    write_field(json, "source", runs, [](const RunDetails& run) { return run.info.source; });
    write_field(json, "root", runs,
                [&](const RunDetails& run) { return context.workspace->roots()[run.root].name; });
    write_field(json, "message", runs, [](const RunDetails& run) { return run.info.message; });
    json.end_object();
}

Response query(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const Marked archived = marked_member(body, "archived"),
                 deleted = marked_member(body, "deleted");
    const Json* project = body.find("project");
    const auto only = string_list(body, "runs", 100'000),
               columns = string_list(body, "columns", 2000);
    const std::set<std::string> wanted(only.begin(), only.end());
    const auto sort = sort_columns(body);
    // Before the list: a reply may know more than it says, never less.
    const std::uint64_t revision = context.workspace->revision();
    const auto all = context.workspace->runs();
    // Over every run there is: what only another project has matches nothing here, and is no
    // mistake.
    const RunFilter filter(body.string_or("filter", ""), *all);
    RunList matched;
    std::size_t total = 0;
    for (const auto& run : *all) {
        if (!passes(archived, run->info.archived) || !passes(deleted, run->info.deleted) ||
            (project != nullptr && project->string() != nullptr &&
             run->info.project != *project->string())) {
            continue;
        }
        ++total;
        if ((wanted.empty() || wanted.contains(run->id)) && filter(*run)) {
            matched.push_back(run);
        }
    }
    sort_runs(matched, sort);
    const auto offset = static_cast<std::size_t>(std::clamp<std::int64_t>(
        body.integer_or("offset", 0), 0, static_cast<std::int64_t>(matched.size())));
    const std::int64_t limit = body.integer_or("limit", INT64_MAX);
    if (limit < 0) {
        refuse(400, "invalid", "'limit' must not be negative");
    }
    const auto window = std::span(matched).subspan(
        offset, std::min<std::size_t>(matched.size() - offset, static_cast<std::size_t>(limit)));
    JsonWriter json;
    json.begin_object()
        .member("revision", revision)
        .member("total", total)
        .member("matched", matched.size())
        .member("offset", offset);
    write_runs(json, context, window, slots_of(*all));
    json.key("values").begin_object();
    for (const std::string& column : columns) {
        json.key(column).begin_array();
        for (const auto& run : window) {
            write_cell(json, query::column_value(*run, column));
        }
        json.end_array();
    }
    json.end_object();
    if (body.truth_or("directory", true)) {
        write_directory(json, matched);
    }
    json.end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_runs_routes(Router& router, const ApiContext& context) {
    router.post("runs:query", RouteKind::Read,
                guarded([&context](const Request& request) { return query(context, request); }));
}

}  // namespace taffrail::server
