#include "sinks/aim/repository.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/try.h"
#include "io/files.h"
#include "sqlite/database.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace taffrail::sinks::aim {
namespace {

constexpr std::string_view kTables =
    "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT "
    "alembic_version_pkc PRIMARY KEY (version_num));"
    "CREATE TABLE IF NOT EXISTS experiment (id INTEGER NOT NULL, uuid TEXT, name TEXT NOT NULL, "
    "created_at DATETIME, updated_at DATETIME, is_archived BOOLEAN, description TEXT, PRIMARY KEY "
    "(id), UNIQUE (name));"
    "CREATE UNIQUE INDEX IF NOT EXISTS ix_experiment_uuid ON experiment (uuid);"
    "CREATE TABLE IF NOT EXISTS tag (id INTEGER NOT NULL, uuid TEXT, name TEXT NOT NULL, color "
    "TEXT, created_at DATETIME, updated_at DATETIME, is_archived BOOLEAN, description TEXT, "
    "PRIMARY KEY (id), UNIQUE (name));"
    "CREATE UNIQUE INDEX IF NOT EXISTS ix_tag_uuid ON tag (uuid);"
    "CREATE TABLE IF NOT EXISTS run (id INTEGER NOT NULL, hash TEXT NOT NULL, name TEXT, "
    "description TEXT, is_archived BOOLEAN, created_at DATETIME, updated_at DATETIME, "
    "experiment_id INTEGER, finalized_at DATETIME, PRIMARY KEY (id), FOREIGN KEY(experiment_id) "
    "REFERENCES experiment (id));"
    "CREATE UNIQUE INDEX IF NOT EXISTS ix_run_hash ON run (hash);"
    "CREATE TABLE IF NOT EXISTS run_tag (run_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, PRIMARY "
    "KEY (run_id, tag_id), FOREIGN KEY(run_id) REFERENCES run (id), FOREIGN KEY(tag_id) REFERENCES "
    "tag (id));"
    "CREATE TABLE IF NOT EXISTS note (id INTEGER NOT NULL, content TEXT NOT NULL, run_id INTEGER, "
    "created_at DATETIME, updated_at DATETIME, experiment_id INTEGER, PRIMARY KEY (id), CONSTRAINT "
    "fk_experiment_note FOREIGN KEY(experiment_id) REFERENCES experiment (id), FOREIGN KEY(run_id) "
    "REFERENCES run (id));"
    "CREATE TABLE IF NOT EXISTS note_audit_log (id INTEGER NOT NULL, note_id INTEGER NOT NULL, "
    "datetime DATETIME, action TEXT, before_edit TEXT, after_edit TEXT, PRIMARY KEY (id), FOREIGN "
    "KEY(note_id) REFERENCES note (id) ON DELETE CASCADE);"
    "CREATE TABLE IF NOT EXISTS run_info (id INTEGER NOT NULL, run_id INTEGER, created_at "
    "DATETIME, updated_at DATETIME, last_notification_index INTEGER, PRIMARY KEY (id), FOREIGN "
    "KEY(run_id) REFERENCES run (id));"
    "INSERT INTO alembic_version SELECT '46b89d830ad8' WHERE NOT EXISTS (SELECT 1 FROM "
    "alembic_version)";

std::string time_text(std::int64_t time_ns) {
    const std::time_t seconds = static_cast<std::time_t>(time_ns / 1'000'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
    std::array<char, 16> rest{};
    std::snprintf(rest.data(), rest.size(), ".%06d",
                  static_cast<int>(time_ns % 1'000'000'000 / 1000));
    return std::string(text.data(), length) + rest.data();
}

/// The same name gets the same one again.
std::string uuid_of(std::string_view what) {
    std::string hex = to_hex(sha256(as_bytes(what))).substr(0, 32);
    hex[12] = '4';
    hex[16] = '8';
    return with_dashes(hex);
}

/// `table` is experiment or tag.
Result<void> name_known(const sqlite::Database& database, const std::string& table,
                        const std::string& name, const std::string& now) {
    TAFFRAIL_ASSIGN(auto insert,
                    database.prepare("INSERT OR IGNORE INTO " + table +
                                     " (uuid, name, created_at, updated_at, is_archived) VALUES "
                                     "(?1, ?2, ?3, ?3, 0)"));
    insert.bind(1, std::string_view(uuid_of(table + " " + name))).bind(2, std::string_view(name));
    insert.bind(3, std::string_view(now));
    return insert.run();
}

Result<void> write_row(const sqlite::Database& database, const RunRow& run,
                       const std::vector<std::string>& removed, std::int64_t now_ns) {
    const std::string now = time_text(now_ns), created = time_text(run.created_ns);
    if (!run.experiment.empty()) {
        TAFFRAIL_TRY(name_known(database, "experiment", run.experiment, now));
    }
    TAFFRAIL_ASSIGN(auto insert,
                    database.prepare("INSERT OR IGNORE INTO run (hash, is_archived, created_at, "
                                     "updated_at) VALUES (?1, 0, ?2, ?3)"));
    insert.bind(1, std::string_view(run.hash)).bind(2, std::string_view(created));
    insert.bind(3, std::string_view(now));
    TAFFRAIL_TRY(insert.run());
    TAFFRAIL_ASSIGN(auto update,
                    database.prepare("UPDATE run SET name = ?2, description = ?3, updated_at = ?4, "
                                     "experiment_id = (SELECT id FROM experiment WHERE name = ?5) "
                                     "WHERE hash = ?1"));
    update.bind(1, std::string_view(run.hash)).bind(2, std::string_view(run.name));
    update.bind(3, std::string_view(run.description)).bind(4, std::string_view(now));
    update.bind(5, std::string_view(run.experiment));
    TAFFRAIL_TRY(update.run());
    for (const std::string& tag : run.tags) {
        TAFFRAIL_TRY(name_known(database, "tag", tag, now));
        TAFFRAIL_ASSIGN(auto link,
                        database.prepare("INSERT OR IGNORE INTO run_tag (run_id, tag_id) SELECT "
                                         "run.id, tag.id FROM run, tag WHERE run.hash = ?1 AND "
                                         "tag.name = ?2"));
        link.bind(1, std::string_view(run.hash)).bind(2, std::string_view(tag));
        TAFFRAIL_TRY(link.run());
    }
    for (const std::string& tag : removed) {
        TAFFRAIL_ASSIGN(auto unlink,
                        database.prepare("DELETE FROM run_tag WHERE run_id = (SELECT id FROM run "
                                         "WHERE hash = ?1) AND tag_id = (SELECT id FROM tag WHERE "
                                         "name = ?2)"));
        unlink.bind(1, std::string_view(run.hash)).bind(2, std::string_view(tag));
        TAFFRAIL_TRY(unlink.run());
    }
    return {};
}

Result<void> in_transaction(const std::string& folder, const RunRow& run,
                            const std::vector<std::string>& removed, std::int64_t now_ns) {
    TAFFRAIL_ASSIGN(
        const auto database,
        sqlite::Database::open(io::join(folder, "run_metadata.sqlite"), sqlite::Mode::Create));
    // Others write here too, and each for a moment only.
    TAFFRAIL_TRY(database.run("BEGIN IMMEDIATE"));
    // Looked at inside: a process may have died, or another begun, between the file and its tables.
    const auto tables = database.has_table("run") ? Result<void>() : database.run(kTables);
    const auto done = tables.ok() ? write_row(database, run, removed, now_ns) : tables;
    if (!done.ok()) {
        static_cast<void>(database.run("ROLLBACK"));
        return done;
    }
    return database.run("COMMIT");
}

}  // namespace

Result<void> make_known(const std::string& folder, const RunRow& run, std::int64_t now_ns) {
    TAFFRAIL_TRY(io::make_directories(io::join(folder, "locks")));
    const std::string version = io::join(folder, "VERSION");
    if (!io::exists(version)) {
        TAFFRAIL_TRY(io::write_file_atomically(version, as_bytes("1.3\n"), false));
    } else {
        TAFFRAIL_ASSIGN(const std::string text, io::read_text(version));
        if (!text.starts_with("1.")) {
            return Error{ErrorCode::Unsupported,
                         "aim: '" + folder + "' is a repository of version " + text.substr(0, 20) +
                             ", and 1.x is what is written here"};
        }
    }
    return in_transaction(folder, run, {}, now_ns);
}

Result<void> change(const std::string& folder, const RunRow& run,
                    const std::vector<std::string>& removed, std::int64_t now_ns) {
    return in_transaction(folder, run, removed, now_ns);
}

}  // namespace taffrail::sinks::aim
