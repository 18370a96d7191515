// Files in the user's cache folder that readers keep between programs: a magic, CRC-32C and length
// of the body, and the body, compressed where that helps. One that is damaged is as good as none.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::model {

/// The body; nothing where the file is not there, begins otherwise, is damaged, or would unpack to
/// more than `limit` bytes. `magic` has four characters.
std::optional<Bytes> read_cache_file(const std::string& path, std::string_view magic,
                                     std::uint64_t limit);
/// Makes the folder, private; readers see the old body or the new one.
Result<void> write_cache_file(const std::string& path, std::string_view magic, const Bytes& body);

}  // namespace taffrail::model
