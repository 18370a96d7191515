// A CSV file that grows: rows are appended; a new column rewrites the file once.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sinks::csv {

/// Values by column, as text.
using CsvRow = std::map<std::string, std::string>;

class CsvTable {
  public:
    CsvTable() = default;
    /// Opens or begins `path`; what lies behind the first `rows` below the header is cut off.
    static Result<CsvTable> open(std::string path, std::uint64_t rows);

    void add(CsvRow row) { pending_.push_back(std::move(row)); }

    [[nodiscard]] bool pending() const noexcept { return !pending_.empty(); }

    /// Writes the pending rows. Columns are sorted by name; rows without a value have an empty
    /// cell.
    Result<void> save();

    /// Rows in the file after the last save. Unlike bytes they stay the same when a new column
    /// rewrites it, so that a process may die between that and the note of it.
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  private:
    Result<void> rewrite();

    std::string path_;
    std::vector<std::string> columns_;  ///< sorted
    std::vector<CsvRow> pending_;
    std::uint64_t rows_ = 0;
    std::uint64_t length_ = 0;  ///< bytes of header and rows
};

}  // namespace taffrail::sinks::csv
