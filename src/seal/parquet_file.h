// Parquet out of an open file, a column chunk at a time: what was written in pieces need not fit
// into memory as a whole.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/reader.h"
#include "io/file.h"

#include <cstdint>
#include <string_view>

namespace taffrail::seal {

/// `file` must outlive the reader.
Result<parquet::Reader> open_parquet(io::File& file, std::uint64_t bytes);

/// What a writer says that reads its own file and finds something else.
Error read_back_error(std::string_view path, std::string_view what);

}  // namespace taffrail::seal
