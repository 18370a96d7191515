#include "sinks/neptune/log.h"

#include "base/try.h"

namespace taffrail::sinks::neptune {
namespace {

constexpr std::string_view kTables =
    "CREATE TABLE IF NOT EXISTS run_operations (sequence_id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "timestamp INTEGER NOT NULL, operation_type INTEGER NOT NULL, operation BLOB NOT NULL, "
    "operation_size_bytes INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS idx_run_operations_sequence_size ON run_operations (sequence_id, "
    "operation_size_bytes);"
    "CREATE TABLE IF NOT EXISTS metadata (id INTEGER PRIMARY KEY AUTOINCREMENT, version TEXT NOT "
    "NULL, project TEXT NOT NULL, run_id TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS run_operation_submission (sequence_id INTEGER PRIMARY KEY, "
    "timestamp INTEGER NOT NULL, request_id TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS file_upload_requests (id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "source_path TEXT NOT NULL, destination TEXT NOT NULL, mime_type TEXT NOT NULL, size_bytes "
    "INTEGER NOT NULL, is_temporary INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS operation_errors (error_id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "timestamp INTEGER NOT NULL, error_type TEXT NOT NULL, error_details TEXT NOT NULL, "
    "error_body TEXT NOT NULL, sequence_id INTEGER)";

constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

Result<std::unique_ptr<OperationsLog>> OperationsLog::create(const std::string& path,
                                                             std::string_view project,
                                                             std::string_view run_id) {
    TAFFRAIL_ASSIGN(auto database, sqlite::Database::open(path, sqlite::Mode::Create));
    std::unique_ptr<OperationsLog> made(new OperationsLog(std::move(database)));
    TAFFRAIL_TRY(made->prepare());
    TAFFRAIL_ASSIGN(auto about, made->database_.prepare(
                                    "INSERT INTO metadata (version, project, run_id) VALUES "
                                    "('v5', ?1, ?2)"));
    about.bind(1, project).bind(2, run_id);
    TAFFRAIL_TRY(about.run());
    return made;
}

Result<std::unique_ptr<OperationsLog>> OperationsLog::reopen(const std::string& path,
                                                             std::int64_t last_operation,
                                                             std::int64_t last_file) {
    TAFFRAIL_ASSIGN(auto database, sqlite::Database::open(path, sqlite::Mode::Write));
    std::unique_ptr<OperationsLog> made(new OperationsLog(std::move(database)));
    TAFFRAIL_TRY(made->prepare());
    TAFFRAIL_TRY(made->database_.run("DELETE FROM run_operations WHERE sequence_id > " +
                                     std::to_string(last_operation)));
    TAFFRAIL_TRY(made->database_.run("DELETE FROM file_upload_requests WHERE id > " +
                                     std::to_string(last_file)));
    made->last_operation_ = last_operation;
    made->last_file_ = last_file;
    return made;
}

Result<void> OperationsLog::prepare() {
    // Safe against the death of the process, as the rest of what is written here.
    TAFFRAIL_ASSIGN(auto mode, database_.prepare("PRAGMA journal_mode = WAL"));
    TAFFRAIL_TRY(mode.step());
    mode.reset();
    TAFFRAIL_TRY(database_.run("PRAGMA synchronous = NORMAL"));
    TAFFRAIL_TRY(database_.run(kTables));
    TAFFRAIL_ASSIGN(insert_,
                    database_.prepare("INSERT INTO run_operations (timestamp, operation_type, "
                                      "operation, operation_size_bytes) VALUES (?1, ?2, ?3, ?4)"));
    TAFFRAIL_ASSIGN(insert_file_,
                    database_.prepare("INSERT INTO file_upload_requests (source_path, destination, "
                                      "mime_type, size_bytes, is_temporary) VALUES (?1, ?2, ?3, "
                                      "?4, 1)"));
    return {};
}

Result<void> OperationsLog::begin() {
    if (!is_writing_) {
        TAFFRAIL_TRY(database_.run("BEGIN"));
        is_writing_ = true;
    }
    return {};
}

Result<void> OperationsLog::add(Operation operation, ByteSpan bytes, std::int64_t time_ns) {
    TAFFRAIL_TRY(begin());
    insert_->bind(1, time_ns / kMillisecond);
    insert_->bind(2, static_cast<std::int64_t>(operation));
    insert_->bind(3, bytes);
    insert_->bind(4, static_cast<std::int64_t>(bytes.size()));
    TAFFRAIL_TRY(insert_->run());
    last_operation_ = database_.last_row();
    return {};
}

Result<void> OperationsLog::add_file(std::string_view path, std::string_view destination,
                                     std::string_view mime, std::uint64_t size) {
    TAFFRAIL_TRY(begin());
    insert_file_->bind(1, path);
    insert_file_->bind(2, destination);
    insert_file_->bind(3, mime);
    insert_file_->bind(4, static_cast<std::int64_t>(size));
    TAFFRAIL_TRY(insert_file_->run());
    last_file_ = database_.last_row();
    return {};
}

Result<void> OperationsLog::write_out() {
    if (is_writing_) {
        TAFFRAIL_TRY(database_.run("COMMIT"));
        is_writing_ = false;
    }
    return {};
}

Result<void> OperationsLog::close() {
    TAFFRAIL_TRY(write_out());
    TAFFRAIL_ASSIGN(auto checkpoint, database_.prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
    TAFFRAIL_TRY(checkpoint.step());
    return {};
}

}  // namespace taffrail::sinks::neptune
