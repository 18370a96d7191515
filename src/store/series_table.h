// The scalar rows of one writer in memory: one table per schema, one per lone key, all rows in log
// order.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"
#include "model/series_index.h"
#include "store/log_state.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::storage {

/// A column only kept once a row differs from the usual value.
template <typename T>
class SparseColumn {
  public:
    explicit SparseColumn(T usual) : usual_(usual) {}

    void push_back(T value, std::size_t rows_before) {
        if (values_.empty() && value == usual_) {
            return;
        }
        values_.resize(rows_before, usual_);
        values_.push_back(value);
    }

    [[nodiscard]] T at(std::size_t row) const {
        return row < values_.size() ? values_[row] : usual_;
    }

  private:
    T usual_;
    std::vector<T> values_;
};

/// Rows that share their axes.
struct SeriesTable {
    std::shared_ptr<model::AxisTable> axes = std::make_shared<model::AxisTable>();
    std::vector<std::uint64_t> seq;
    SparseColumn<std::uint8_t> phase{0};
    std::vector<std::string> keys;  ///< one per column
    std::vector<std::unique_ptr<model::SeriesIndex>> columns;
};

/// A key's column in a table.
struct SeriesPiece {
    const SeriesTable* table = nullptr;
    const model::SeriesIndex* series = nullptr;
};

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

}  // namespace taffrail::storage
