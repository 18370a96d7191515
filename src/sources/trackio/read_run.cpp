// A run out of a project's SQLite file: rows of JSON, of versions with ids of runs and of those
// that knew them by name alone.
#include "base/strings.h"
#include "base/utf8.h"
#include "io/files.h"
#include "sources/trackio/discovery.h"
#include "sources/trackio/values.h"
#include "sqlite/database.h"

#include <algorithm>

namespace taffrail::sources::trackio {
namespace {

constexpr std::size_t kMostRuns = 100'000;
constexpr std::size_t kMostDamage = 1000;

bool has_column(const sqlite::Database& database, std::string_view table, std::string_view name) {
    const std::vector<std::string> columns = database.columns(table);
    return std::ranges::find(columns, name) != columns.end();
}

/// The column that says whose a row is.
std::string identity_in(const sqlite::Database& database, std::string_view table) {
    return has_column(database, table, "run_id") ? "run_id" : "run_name";
}

bool is_readable(const sqlite::Database& database, std::string_view table) {
    return database.has_table(table) && has_column(database, table, "run_name");
}

class Reader {
  public:
    Reader(const sqlite::Database& database, std::string path, std::string run,
           model::GatheredContent& content)
        : database_(database),
          path_(std::move(path)),
          run_(std::move(run)),
          folder_(io::parent(path_)),
          content_(content) {
        const std::string file = path_.substr(path_.rfind('/') + 1);
        project_ = file.substr(0, file.rfind('.'));
    }

    void read() {
        content_.info.project = repair_utf8(project_);
        take_rows("metrics", true);
        take_rows("system_metrics", false);
        settings();
        alerts();
        artifacts();
        RunInfo& info = content_.info;
        if (info.name.empty()) {
            info.name = info.id;
        }
        info.start_time_ns = first_ns_ == INT64_MAX ? 0 : first_ns_;
    }

  private:
    void damaged(const std::string& reason) {
        if (content_.damage.size() < kMostDamage) {
            content_.damaged(path_, reason);
        }
    }

    std::int64_t seen(std::string_view time) {
        const std::int64_t ns = time_ns_of(time);
        if (ns > 0) {
            first_ns_ = std::min(first_ns_, ns);
            content_.info.end_time_ns = std::max(content_.info.end_time_ns, ns);
        }
        return ns;
    }

    /// `take` for each row of the run; what was read before a damage stays.
    template <typename Take>
    void each(const std::string& table, std::string_view sql, Take&& take) {
        auto rows = database_.prepare(sql);
        if (!rows.ok()) {
            damaged(table + " of run " + run_ + ": " + rows.error().message);
            return;
        }
        rows->bind(1, run_);
        for (;;) {
            const auto row = rows->step();
            if (!row.ok()) {
                damaged(table + " of run " + run_ + " end early: " + row.error().message);
                return;
            }
            if (!*row) {
                return;
            }
            take(*rows);
        }
    }

    void take_rows(const std::string& table, bool has_steps) {
        if (!is_readable(database_, table)) {
            return;
        }
        Step number = 0;
        each(table,
             "SELECT run_name, timestamp, metrics" + std::string(has_steps ? ", step" : "") +
                 " FROM " + table + " WHERE " + identity_in(database_, table) +
                 " = ?1 ORDER BY timestamp, rowid",
             [&](const sqlite::Statement& row) {
                 if (!row.text(0).empty()) {
                     content_.info.name = repair_utf8(row.text(0));
                 }
                 const Step step = has_steps ? row.whole(3) : number;
                 const std::int64_t time_ns = seen(row.text(1));
                 const auto json = parse_json(row.text(2));
                 ++number;
                 if (!json.ok() || !json->is_object()) {
                     damaged("row " + std::to_string(number) + " of " + table + " of run " + run_ +
                             " is no JSON object" + (json.ok() ? "" : ": " + json.error().message));
                     return;
                 }
                 for (const auto& [name, value] : *json->object()) {
                     take((has_steps ? "" : "system/") + name, value, step, time_ns);
                 }
             });
    }

    void take(const std::string& name, const Json& json, Step step, std::int64_t time_ns) {
        if (const auto number = number_of(json)) {
            content_.series[repair_utf8(name)].add(step, time_ns, *number);
        } else if (!is_value(json)) {
            for (const auto& [inner, value] : *json.object()) {
                take(name + "/" + inner, value, step, time_ns);
            }
        } else if (!json.is_null()) {
            std::string key = repair_utf8(name);
            content_.values[key].push_back(
                {.kind = kind_of_json(json),
                 .step = step,
                 .time_ns = time_ns,
                 .make = [key, json, folder = folder_](model::GatheredBlobs& blobs) {
                     return value_of(key, json, folder, blobs);
                 }});
        }
    }

    void settings() {
        if (!is_readable(database_, "configs")) {
            return;
        }
        each("configs",
             "SELECT run_name, config FROM configs WHERE " + identity_in(database_, "configs") +
                 " = ?1 ORDER BY rowid",
             [&](const sqlite::Statement& row) {
                 RunInfo& info = content_.info;
                 if (info.name.empty()) {
                     info.name = repair_utf8(row.text(0));
                 }
                 const auto json = parse_json(row.text(1));
                 if (!json.ok() || !json->is_object()) {
                     damaged("the settings of run " + run_ + " are no JSON object");
                     return;
                 }
                 info.config.clear();
                 for (auto& [name, cell] : flat(*json)) {
                     const std::string* said = std::get_if<std::string>(&cell);
                     if (name == "_Created") {
                         seen(said != nullptr ? *said : "");
                     } else if (name == "_Group") {
                         info.group = said != nullptr ? *said : "";
                     } else if (name == "_Username") {
                         if (said != nullptr) {
                             content_.environment.emplace_back("user", *said);
                         }
                     } else {
                         info.config.emplace_back(name, std::move(cell));
                     }
                 }
             });
    }

    void alerts() {
        if (!is_readable(database_, "alerts")) {
            return;
        }
        each("alerts",
             "SELECT timestamp, title, text, level, step FROM alerts WHERE " +
                 identity_in(database_, "alerts") + " = ?1 ORDER BY timestamp, rowid",
             [&](const sqlite::Statement& row) {
                 const std::string_view level = row.text(3);
                 Alert alert{.level = level == "error"  ? AlertLevel::Error
                                      : level == "warn" ? AlertLevel::Warning
                                                        : AlertLevel::Info,
                             .title = repair_utf8(row.text(1)),
                             .text = repair_utf8(row.text(2))};
                 content_.values["alerts"].push_back(
                     {.kind = Kind::Alert,
                      .step = row.whole(4),
                      .time_ns = seen(row.text(0)),
                      .make = [alert = std::move(alert)](model::GatheredBlobs&) -> Result<Value> {
                          return Value(alert);
                      }});
             });
    }

    void artifacts() {
        if (!database_.has_table("artifacts") || !database_.has_table("artifact_versions")) {
            return;
        }
        each("artifacts",
             "SELECT a.name, a.type, v.version, v.manifest, v.metadata, v.created_at "
             "FROM artifact_versions v JOIN artifacts a ON a.id = v.artifact_id "
             "WHERE v.producer_run_id = ?1 ORDER BY v.id",
             [&](const sqlite::Statement& row) {
                 const std::string name = repair_utf8(row.text(0)), type = repair_utf8(row.text(1)),
                                   manifest(row.text(3)), metadata(row.text(4));
                 content_.values[name].push_back(
                     {.kind = Kind::Artifact,
                      .time_ns = seen(row.text(5)),
                      .make = [=, version = row.whole(2), folder = folder_,
                               project = project_](model::GatheredBlobs& blobs) {
                          return artifact_of(name, type, version, manifest, metadata, folder,
                                             project, blobs);
                      }});
             });
    }

    const sqlite::Database& database_;
    const std::string path_, run_, folder_;
    std::string project_;
    model::GatheredContent& content_;
    std::int64_t first_ns_ = INT64_MAX;
};

std::shared_ptr<model::GatheredContent> read_run(const std::string& path, const std::string& run) {
    auto content = std::make_shared<model::GatheredContent>();
    content->info.id = repair_utf8(run);
    content->info.location = path + "#" + content->info.id;  // a file of many runs
    content->info.source = "trackio";
    content->files = {path, path + "-wal"};
    content->never_says_end = true;
    const auto database = sqlite::Database::open(path, sqlite::Mode::Read);
    if (database.ok()) {
        Reader(*database, path, run, *content).read();
    } else {
        content->damaged(path, database.error().message);
    }
    return content;
}

}  // namespace

std::vector<model::FoundRun> runs_of_database(const std::string& path) {
    const auto database = sqlite::Database::open(path, sqlite::Mode::Read);
    if (!database.ok()) {
        return {{path, {}, database.error().message}};
    }
    std::string sources;
    for (const auto& [table, time] :
         {std::pair("metrics", "timestamp"), std::pair("system_metrics", "timestamp"),
          std::pair("configs", "created_at")}) {
        if (is_readable(*database, table)) {
            sources += (sources.empty() ? "SELECT " : " UNION ALL SELECT ") +
                       identity_in(*database, table) + " AS run, MIN(" + time + ") AS began FROM " +
                       table + " GROUP BY 1";
        }
    }
    auto rows = database->prepare("SELECT run FROM (" + sources +
                                  ") WHERE run IS NOT NULL GROUP BY run ORDER BY MIN(began), run");
    if (!rows.ok()) {
        return {{path, {}, rows.error().message}};
    }
    std::vector<model::FoundRun> all;
    for (;;) {
        const auto row = rows->step();
        if (!row.ok()) {
            all.push_back({path, {}, "the list of runs ends early: " + row.error().message});
            return all;
        }
        if (!*row || all.size() >= kMostRuns) {
            return all;
        }
        const std::string run(rows->text(0));
        all.push_back({path + "#" + run, [path, run] { return read_run(path, run); }, {}});
    }
}

}  // namespace taffrail::sources::trackio
