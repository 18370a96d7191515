// What readers of a sealed file take for granted, checked once before any of it is used.
#pragma once

#include "seal/index.h"

#include <cstdint>

namespace taffrail::seal {

/// True when every column, row, page, block and level of the index exists in a file of
/// `file_bytes`, the spans of rows fit together, and nothing asks for more memory than such a file
/// can be worth.
[[nodiscard]] bool is_sound(const FileIndex& index, std::uint64_t file_bytes);

}  // namespace taffrail::seal
