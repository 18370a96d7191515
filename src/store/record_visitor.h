// Hands the rows of log batches to a visitor, as records in log order.
#pragma once

#include <taffrail/record.h>

#include "store/batch_records.h"
#include "store/row_set.h"
#include "store/writer_log.h"

#include <functional>
#include <vector>

namespace taffrail::storage {

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

  private:
    void show(Record& record, const LogState::Key* key);
    void wide(const tlog::WideRows& rows, std::size_t row, const WriterLog& log);
    void lone(const tlog::LongRows& rows, std::size_t row, const WriterLog& log);
    void value(const tlog::ValueRecord& stored, const WriterLog& log);

    const std::function<bool(const Record&)>& visit_;
    VisitedRows* visited_;
    std::vector<RowPlace> rows_;
    bool stopped_ = false;
};

}  // namespace taffrail::storage
