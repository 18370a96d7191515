// A second reader of the live log, written from docs/formats/tlog.md alone, as slowly and plainly
// as possible. It shares nothing with the product's decoder but zstd.
#pragma once

#include "tlog/log_builder.h"

#include <vector>

namespace taffrail::tlog {

struct ReferenceRow {
    std::uint64_t seq = 0;
    std::uint32_t key = 0;
    std::int64_t step = 0, time_ns = 0, samples = 0;
    std::uint64_t epoch_bits = 0, value_bits = 0;
    std::uint64_t phase = 0, route = 0;
    auto operator<=>(const ReferenceRow&) const = default;
};

/// Every scalar of an undamaged file. Throws std::runtime_error at the first thing that does not
/// fit the page.
std::vector<ReferenceRow> reference_decode(ByteSpan file);

}  // namespace taffrail::tlog
