// A table of statistics by step with fixed columns: header, rule, rows. Pure text.
#pragma once

#include <taffrail/terminal.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::terminal {

struct StatRow {
    std::int64_t step = 0;
    std::map<std::string, double> values;  ///< by label
};

class StatTable {
  public:
    /// `last_step` gives the percentage behind a step; 0 = none.
    StatTable(std::vector<StatInfo> columns, std::int64_t last_step)
        : columns_(std::move(columns)), last_step_(last_step) {}

    /// Adds a column at the right; existing ones keep their place.
    void add_column(StatInfo column) { columns_.push_back(std::move(column)); }

    [[nodiscard]] const std::vector<StatInfo>& columns() const { return columns_; }

    /// Columns that do not fit whole into `width` are left out, and "..." stands for them: half a
    /// number misleads.
    [[nodiscard]] std::vector<std::string> header(std::size_t width = SIZE_MAX) const;
    [[nodiscard]] std::string row(const StatRow& row, std::size_t width = SIZE_MAX) const;

  private:
    [[nodiscard]] std::size_t width_of(const StatInfo& column) const;
    [[nodiscard]] std::size_t fitting(std::size_t width) const;

    std::vector<StatInfo> columns_;
    std::int64_t last_step_;
};

/// The number in a column's format.
std::string format_stat(StatFormat format, double value);

}  // namespace taffrail::terminal
