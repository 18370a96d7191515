// The scalar rows of one writer in memory: one table per schema, one per lone key, all rows in log
// order.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"
#include "model/packed_column.h"
#include "model/row_source.h"
#include "model/series_index.h"
#include "store/log_state.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::store {

/// The phase of each row, kept where it changes.
class PhaseRuns {
  public:
    void push_back(Phase phase, std::size_t row) {
        if (runs_.empty() ? phase != Phase::None : phase != runs_.back().phase) {
            runs_.push_back({row, phase});
        }
    }

    /// Of the rows `first` … `first + count`.
    void copy(std::size_t first, std::size_t count, Phase* to) const;

  private:
    struct Run {
        std::size_t first_row = 0;
        Phase phase = Phase::None;
    };

    std::vector<Run> runs_;
};

/// Rows that share their axes.
struct SeriesTable {
    std::shared_ptr<model::AxisTable> axes = std::make_shared<model::AxisTable>();
    model::PackedColumn<std::uint64_t> seq;
    PhaseRuns phase;
    std::vector<std::string> keys;  ///< one per column
    std::vector<std::unique_ptr<model::SeriesIndex>> columns;
};

/// A key's column in a table.
struct SeriesPiece {
    const SeriesTable* table = nullptr;
    const model::SeriesIndex* series = nullptr;
};

/// The rows of a piece as they are now, for a cursor; the table may grow and go.
std::unique_ptr<model::RowSource> rows_of(const SeriesPiece& piece,
                                          const tlog::FileIdentity& identity);

/// Reading is safe from several threads while nothing is added.
class WriterTables {
  public:
    /// Adds the visible rows of a batch; hidden ones are left out.
    void add(const tlog::Batch& batch, const LogState& state);
    /// Where the points of a key are: at most one wide table per schema, and a lone one.
    [[nodiscard]] std::vector<SeriesPiece> pieces(std::string_view key) const;

    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }

  private:
    void add_wide(const tlog::WideRows& rows, const LogState& state);
    void add_long(const tlog::LongRows& rows, const LogState& state);
    SeriesTable& lone_table(std::uint32_t key, const std::string& name);

    std::map<std::uint32_t, std::unique_ptr<SeriesTable>> wide_;  ///< by schema
    std::map<std::uint32_t, std::unique_ptr<SeriesTable>> lone_;  ///< by key
    std::multimap<std::string, SeriesPiece, std::less<>> by_key_;
    std::uint64_t points_ = 0;
};

}  // namespace taffrail::store
