// A CSV file that grows: rows are appended; a new column rewrites the file once.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// Values by column, as text.
using CsvRow = std::map<std::string, std::string>;

/// A cell as it stands in the file: quoted when it holds a separator, a quote or a line break.
std::string csv_cell(std::string_view text);
/// The cells of every line; quoted cells may hold line breaks.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

class CsvTable {
  public:
    CsvTable() = default;
    /// Opens or begins `path`; what lies behind `length` bytes is cut off.
    static Result<CsvTable> open(std::string path, std::uint64_t length);

    void add(CsvRow row) { pending_.push_back(std::move(row)); }

    [[nodiscard]] bool pending() const noexcept { return !pending_.empty(); }

    /// Writes the pending rows. Columns are sorted by name; rows without a value have an empty
    /// cell.
    Result<void> save();

    /// Bytes of the file after the last save.
    [[nodiscard]] std::uint64_t length() const noexcept { return length_; }

  private:
    Result<void> rewrite();

    std::string path_;
    std::vector<std::string> columns_;  ///< sorted
    std::vector<CsvRow> pending_;
    std::uint64_t length_ = 0;
};

}  // namespace taffrail
