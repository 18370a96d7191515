// The rows of a batch as records, in log order: by row number over all its sections.
#pragma once

#include <taffrail/record.h>

#include "codec/tlog/batch.h"
#include "store/log_state.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace taffrail::store {

/// Where a row of a batch stands.
struct RowPlace {
    enum class Section : std::uint8_t { Wide, Long, Values } section = Section::Wide;
    std::uint32_t index = 0;  ///< of the section (Wide, Long) or of the value record
    std::uint32_t row = 0;
    std::uint64_t seq = 0;
};

/// All rows, sorted by row number (stable).
void order_rows(const tlog::Batch& batch, std::vector<RowPlace>& out);

/// A record without its key and value, from the axes of a row.
Record record_of(const tlog::Axes& axes, std::size_t row, const tlog::FileIdentity& identity);
Record record_of(const tlog::ValueRecord& value, const tlog::FileIdentity& identity);

/// Route bits of a row, kHidden included.
inline std::uint32_t route_of(const tlog::Axes& axes, std::size_t row) {
    return axes.route.empty() ? std::uint32_t{kAllSinks} : axes.route[row];
}

}  // namespace taffrail::store
