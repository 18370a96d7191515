// The index of a sealed file made anew from its Parquet footer and its columns, for files whose own
// index is damaged.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/reader.h"
#include "seal/index.h"

namespace taffrail::seal {

/// Without pyramids: every question reads points. Keys are the names of the columns, which differ
/// from the keys where those held control characters or were doubled.
Result<FileIndex> rebuild_index(const parquet::Reader& reader);

}  // namespace taffrail::seal
