// Runs in the SQLite file of a tracking server, of 2.x and 3.x: columns are taken by name, and
// those that a version lacks are left out.
#include "sqlite/database.h"

#include "base/strings.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/mlflow/discovery.h"
#include "sources/mlflow/run_builder.h"

#include <algorithm>
#include <limits>

namespace taffrail::sources::mlflow {
namespace {

constexpr std::size_t kMostRuns = 100'000;

/// "a, b, NULL, d": what the table has of them.
std::string selected(const sqlite::Database& database, std::string_view table,
                     std::initializer_list<std::string_view> wanted) {
    const std::vector<std::string> there = database.columns(table);
    std::string list;
    for (const std::string_view column : wanted) {
        list += list.empty() ? "" : ", ";
        list += std::ranges::find(there, column) != there.end() ? "\"" + std::string(column) + "\""
                                                                : std::string("NULL");
    }
    return list;
}

/// Where the artifacts of a run may lie beside the database; what is elsewhere is not looked for.
std::string artifact_folder(const std::string& database, std::string_view uri) {
    const std::string root = io::parent(database);
    const std::size_t colon = uri.find(":/");
    std::string_view path = colon == std::string_view::npos ? uri : uri.substr(colon + 1);
    const auto parts = split(path, '/');
    if (parts.size() < 3) {
        return {};
    }
    // <experiment>/<run>/artifacts
    const std::string tail = std::string(parts[parts.size() - 3]) + "/" +
                             std::string(parts[parts.size() - 2]) + "/" +
                             std::string(parts[parts.size() - 1]);
    if (tail.find("..") != std::string::npos) {
        return {};
    }
    for (const char* folder : {"mlartifacts", "mlruns", "artifacts"}) {
        const std::string candidate = io::join(io::join(root, folder), tail);
        const auto info = io::stat_inside(root, candidate);
        if (info.ok() && info->type == io::EntryType::Directory) {
            return candidate;
        }
    }
    return {};
}

void read_pairs(const sqlite::Database& database, std::string_view table, std::string_view run,
                const std::function<void(std::string_view, std::string_view)>& take) {
    if (!database.has_table(table)) {
        return;
    }
    auto rows = database.prepare("SELECT key, value FROM " + std::string(table) +
                                 " WHERE run_uuid = ?1 ORDER BY key");
    if (!rows.ok()) {
        return;
    }
    rows->bind(1, run);
    for (auto row = rows->step(); row.ok() && *row; row = rows->step()) {
        take(rows->text(0), rows->text(1));
    }
}

Result<void> read_metrics(const sqlite::Database& database, std::string_view run,
                          RunBuilder& builder) {
    auto rows = database.prepare(
        "SELECT " + selected(database, "metrics", {"key", "value", "timestamp", "step", "is_nan"}) +
        " FROM metrics WHERE run_uuid = ?1 ORDER BY rowid");
    if (!rows.ok()) {
        return rows.error();
    }
    rows->bind(1, run);
    for (;;) {
        const auto row = rows->step();
        if (!row.ok()) {
            return row.error();
        }
        if (!*row) {
            return {};
        }
        const double value =
            rows->whole(4) != 0 ? std::numeric_limits<double>::quiet_NaN() : rows->number(1);
        builder.metric(rows->text(0), value, rows->whole(2), rows->whole(3), true);
    }
}

std::shared_ptr<model::GatheredContent> read_database_run(const std::string& path,
                                                          const std::string& run) {
    RunBuilder builder;
    model::GatheredContent& content = builder.content();
    content.info.id = run;
    content.info.location = path + "#" + run;  // a file of many runs
    content.files = {path, path + "-wal"};
    const auto fails = [&](const Error& error) {
        content.damaged(path, error.message);
        return std::move(builder).finish();
    };
    const auto database = sqlite::Database::open(path, sqlite::Mode::Read);
    if (!database.ok()) {
        return fails(database.error());
    }
    auto about = database->prepare(
        "SELECT " +
        selected(*database, "runs",
                 {"name", "status", "start_time", "end_time", "user_id", "artifact_uri",
                  "lifecycle_stage", "experiment_id", "source_name", "source_version"}) +
        " FROM runs WHERE run_uuid = ?1");
    if (!about.ok()) {
        return fails(about.error());
    }
    const auto found = about->bind(1, run).step();
    if (!found.ok()) {
        return fails(found.error());
    }
    std::string artifacts;
    if (*found) {
        content.info.name = about->text(0);
        builder.status(about->text(1));
        builder.times(about->whole(2), about->whole(3));
        artifacts = artifact_folder(path, about->text(5));
        content.info.deleted = about->text(6) == "deleted";
        if (!about->text(4).empty()) {
            content.environment.emplace_back("user", std::string(about->text(4)));
        }
        if (!about->text(9).empty()) {
            content.environment.emplace_back("git/commit", std::string(about->text(9)));
        }
        auto experiment =
            database->prepare("SELECT name FROM experiments WHERE experiment_id = ?1");
        if (experiment.ok()) {
            const auto row = experiment->bind(1, about->whole(7)).step();
            content.info.project = row.ok() && *row ? std::string(experiment->text(0)) : "";
        }
    }
    read_pairs(*database, "tags", run,
               [&](std::string_view name, std::string_view value) { builder.tag(name, value); });
    read_pairs(*database, "params", run, [&](std::string_view name, std::string_view value) {
        builder.parameter(name, value);
    });
    // What was read before the damage stays.
    if (const auto read = read_metrics(*database, run, builder); !read.ok()) {
        content.damaged(path, "the metrics of run " + run + " end early: " + read.error().message);
    }
    if (!artifacts.empty()) {
        builder.artifacts(artifacts);
    }
    return std::move(builder).finish();
}

}  // namespace

std::vector<model::FoundRun> runs_of_database(const std::string& path) {
    std::vector<model::FoundRun> all;
    const auto database = sqlite::Database::open(path, sqlite::Mode::Read);
    if (!database.ok()) {
        return {{path, {}, database.error().message}};
    }
    auto rows = database->prepare("SELECT run_uuid FROM runs ORDER BY start_time, run_uuid");
    if (!rows.ok()) {
        return {{path, {}, rows.error().message}};
    }
    for (;;) {
        const auto row = rows->step();
        if (!row.ok()) {
            all.push_back({path, {}, "the list of runs ends early: " + row.error().message});
            break;
        }
        if (!*row || all.size() >= kMostRuns) {
            break;
        }
        const std::string run(rows->text(0));
        all.push_back({path + "#" + run, [path, run] { return read_database_run(path, run); }, {}});
    }
    return all;
}

}  // namespace taffrail::sources::mlflow
