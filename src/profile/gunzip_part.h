// Unpacks as much of a gzip stream as there is: a stream that breaks off gives what stands before
// the break, and one that unpacks to more than the limit gives that much. codec/gzip.h is faster
// and gives all or nothing.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "io/file.h"

#include <cstdint>

namespace taffrail::profile {

/// In pages of its own, so that a part of it can be given back.
struct GunzippedPart {
    io::Mapping pages = {};
    std::size_t size = 0;
    bool is_whole = false;    ///< every member ended as it should
    bool is_limited = false;  ///< there was more

    [[nodiscard]] ByteSpan bytes() const noexcept { return pages.bytes().first(size); }
};

Result<GunzippedPart> gunzip_part(ByteSpan bytes, std::uint64_t limit_bytes);

}  // namespace taffrail::profile
