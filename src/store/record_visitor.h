// Hands the rows of log batches to a visitor, as records in log order.
#pragma once

#include <taffrail/record.h>

#include "store/batch_records.h"
#include "store/row_set.h"
#include "store/run_data.h"
#include "store/writer_log.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace taffrail::store {

/// Rows of one writer that a visitor has had. Scalar rows and values are numbered together, but
/// values may come long after their neighbours, so each kind has its set.
struct VisitedRows {
    RowSet scalars, values;
};

/// A value that cannot be decoded is shown as what it is, not left out.
Value value_of(const tlog::ValueRecord& record);

class RecordVisitor {
  public:
    /// With `visited`, rows in it are stepped over and those shown are added.
    explicit RecordVisitor(const std::function<bool(const Record&)>& visit,
                           VisitedRows* visited = nullptr)
        : visit_(visit), visited_(visited) {}

    void take(const tlog::Batch& batch, const WriterLog& log);

    /// The visitor wants no more.
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

    /// Values that are written down late, by row number: each is shown before the first row behind
    /// it, and where its frame has it not at all.
    void set_values(std::vector<ValuePlace> places) {
        places_ = std::move(places);
        has_places_ = true;
    }

    /// Values behind the last row; what is taken after this brings its values along.
    void finish(const WriterLog& log) {
        show_values(UINT64_MAX, log);
        has_places_ = false;
    }

  private:
    void show(Record& record, const LogState::Key* key);
    void wide(const tlog::WideRows& rows, std::size_t row, const WriterLog& log);
    void lone(const tlog::LongRows& rows, std::size_t row, const WriterLog& log);
    void value(const tlog::ValueRecord& stored, const WriterLog& log);
    void show_values(std::uint64_t end, const WriterLog& log);
    /// The columns of a schema by the names of their keys, as sealed files have them.
    const std::vector<std::size_t>& order_of(std::uint32_t schema,
                                             const std::vector<std::uint32_t>& members,
                                             const LogState& state);

    const std::function<bool(const Record&)>& visit_;
    VisitedRows* visited_;
    std::vector<RowPlace> rows_;
    std::map<std::uint32_t, std::vector<std::size_t>> orders_;
    std::vector<ValuePlace> places_;
    std::size_t next_place_ = 0;
    bool has_places_ = false;
    LoadedValue loaded_;
    std::optional<FramePlace> loaded_at_;
    bool stopped_ = false;
};

}  // namespace taffrail::store
