// Reads a sealed file from its first byte to its last: what verify and gc rely on. Readers do not:
// they check what they read, page by page.
#pragma once

#include <taffrail/reader.h>

#include "seal/seal.h"

#include <string>
#include <vector>

namespace taffrail::seal {

/// True when the file has the size and the CRC-32C that the manifest names.
[[nodiscard]] bool is_whole(const std::string& path, const SealedFileInfo& info);

/// Fills in the size and the checksum of a file that no manifest lists.
Result<void> measure(const std::string& path, SealedFileInfo& info);

/// Empty when it is whole; else where it is damaged, as exactly as its pages, blocks and frames
/// tell.
std::vector<Damage> check_file(const std::string& path, const SealedFileInfo& info);

}  // namespace taffrail::seal
