// An SQLite file: opened, asked, changed. One thread at a time.
//
// Files may be anybody's: opened for reading only, nothing in their schema is trusted, and
// has_table() says whether a name is an ordinary table and not a view that computes for ever.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "sqlite/library.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sqlite {

/// Whether the first bytes of a file are those of an SQLite file.
bool is_database_file(const std::string& path);

enum class Mode : std::uint8_t {
    Read,    ///< must exist; never changed, also while another program writes it
    Write,   ///< must exist
    Create,  ///< made when absent
};

enum class Type : std::uint8_t { Whole = 1, Number = 2, Text = 3, Blob = 4, Null = 5 };

/// A question with places for values (`?1`, `?2`, …), counted from 1; columns count from 0.
class Statement {
  public:
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&& other) noexcept;
    ~Statement();

    Statement& bind(int place, std::int64_t value);
    Statement& bind(int place, double value);
    /// Texts and bytes are copied.
    Statement& bind(int place, std::string_view text);
    Statement& bind(int place, ByteSpan bytes);
    Statement& bind_null(int place);

    /// True for a row, false at the end.
    Result<bool> step();
    /// To ask or change once more with other values.
    void reset();
    /// step() where no row is wanted, and reset().
    Result<void> run();

    [[nodiscard]] Type type(int column) const;
    [[nodiscard]] std::int64_t whole(int column) const;
    [[nodiscard]] double number(int column) const;
    /// Valid until the next step; empty for NULL.
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] ByteSpan blob(int column) const;

  private:
    friend class Database;

    Statement(const Library& library, Connection* connection, Prepared* prepared)
        : library_(&library), connection_(connection), prepared_(prepared) {}

    const Library* library_;
    Connection* connection_;
    Prepared* prepared_;
};

class Database {
  public:
    static Result<Database> open(const std::string& path, Mode mode);
    Database(Database&& other) noexcept;
    Database& operator=(Database&& other) noexcept;
    ~Database();

    /// The database must outlive it.
    Result<Statement> prepare(std::string_view sql) const;
    /// One statement without rows; several with ';' between them are run in order.
    Result<void> run(std::string_view sql) const;
    [[nodiscard]] std::int64_t last_row() const;

    /// An ordinary table of that name. False also where the file cannot be read.
    [[nodiscard]] bool has_table(std::string_view name) const;
    /// Its columns in order; empty where there is none.
    [[nodiscard]] std::vector<std::string> columns(std::string_view table) const;

  private:
    Database(const Library& library, Connection* connection, std::string path)
        : library_(&library), connection_(connection), path_(std::move(path)) {}

    const Library* library_;
    Connection* connection_;
    std::string path_;
};

}  // namespace taffrail::sqlite
