// The sealed rows and values of one writer, put back into the order of its log.
#pragma once

#include <taffrail/record.h>

#include "seal/sealed_reader.h"
#include "seal/sealed_rows.h"
#include "store/record_visitor.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace taffrail::store {

class SealedRecords {
  public:
    SealedRecords(const seal::SealedRun& sealed, std::uint64_t writer);

    /// Everything below row `end` that was not shown yet. With `visited`, rows in it are stepped
    /// over and those shown are added. False when `visit` wants no more.
    bool visit_until(std::uint64_t end, const std::function<bool(const Record&)>& visit,
                     VisitedRows* visited = nullptr);

  private:
    bool visit_rows(std::uint64_t end, const std::function<bool(const Record&)>& visit,
                    VisitedRows* visited);
    static bool visit_value(const seal::SealedValue& value,
                            const std::function<bool(const Record&)>& visit);

    seal::SealedRows rows_;
    std::vector<const seal::SealedValue*> values_;
    std::size_t next_value_ = 0;
};

}  // namespace taffrail::store
