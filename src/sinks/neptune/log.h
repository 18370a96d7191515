// The log itself: a file of SQLite with the tables that the official program makes.
//
// Operations gather in a transaction that write_out() ends: a kill leaves what was written out.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "sqlite/database.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::sinks::neptune {

enum class Operation : std::uint8_t { Update = 0, Create = 1 };

class OperationsLog {
  public:
    /// A new log at `path`, whose folder exists.
    static Result<std::unique_ptr<OperationsLog>> create(const std::string& path,
                                                         std::string_view project,
                                                         std::string_view run_id);
    /// Goes on; operations and files behind these numbers never counted and are removed.
    static Result<std::unique_ptr<OperationsLog>> reopen(const std::string& path,
                                                         std::int64_t last_operation,
                                                         std::int64_t last_file);

    Result<void> add(Operation operation, ByteSpan bytes, std::int64_t time_ns);
    Result<void> add_file(std::string_view path, std::string_view destination,
                          std::string_view mime, std::uint64_t size);
    Result<void> write_out();
    /// Moves everything into the one file.
    Result<void> close();

    [[nodiscard]] std::int64_t last_operation() const noexcept { return last_operation_; }

    [[nodiscard]] std::int64_t last_file() const noexcept { return last_file_; }

  private:
    explicit OperationsLog(sqlite::Database database) : database_(std::move(database)) {}

    Result<void> prepare();
    Result<void> begin();

    sqlite::Database database_;
    std::optional<sqlite::Statement> insert_, insert_file_;
    bool is_writing_ = false;
    std::int64_t last_operation_ = 0, last_file_ = 0;
};

}  // namespace taffrail::sinks::neptune
