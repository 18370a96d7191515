// One byte range of a request (RFC 9110, section 14). Several ranges are answered with the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace taffrail::server {

struct ByteRange {
    std::uint64_t first = 0, last = 0;  ///< both included
};

enum class RangeVerdict : std::uint8_t { Whole, Part, Unsatisfiable };

/// What `header` asks of `size` bytes. Anything malformed means the whole, as the standard wants.
RangeVerdict parse_range(std::string_view header, std::uint64_t size, ByteRange& range);

}  // namespace taffrail::server
