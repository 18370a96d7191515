// The pages of a column chunk found by walking over its bytes: the way through a chunk that is
// damaged somewhere.
#pragma once

#include "base/bytes.h"
#include "codec/parquet/format.h"

#include <cstddef>
#include <vector>

namespace taffrail::parquet {

struct FoundPage {
    std::size_t offset = 0, bytes = 0;  ///< in the walked bytes, header included
    bool whole = false;                 ///< the body passes its checksum
    PageHeader header;                  ///< only of whole pages
};

/// Pages one after the other. Where no whole page begins, the bytes up to the next one are one
/// damaged page.
std::vector<FoundPage> walk_pages(ByteSpan bytes);

}  // namespace taffrail::parquet
