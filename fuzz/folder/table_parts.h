// A sealed Parquet file as parts, and back.
#pragma once

#include "document.h"

namespace taffrail::fuzzing {

/// Pages unpacked, pyramid blocks, the index unpacked, the footer; all other bytes between them as
/// they are. A file that is no such table becomes one part of raw bytes.
std::vector<Part> take_table_apart(ByteSpan file);

/// Packs pages and index again, with checksums; what index and footer say about places follows the
/// parts they meant.
Bytes put_table_together(const std::vector<Part>& parts);

}  // namespace taffrail::fuzzing
