// Unpacks as much of a gzip stream as there is: a stream that breaks off gives what stands before
// the break, and one that unpacks to more than the limit gives that much. codec/gzip.h is faster
// and gives all or nothing.
#pragma once

#include "base/bytes.h"

#include <cstdint>

namespace taffrail::profile {

struct GunzippedPart {
    Bytes bytes;
    bool is_whole = false;    ///< every member ended as it should
    bool is_limited = false;  ///< there was more
};

GunzippedPart gunzip_part(ByteSpan bytes, std::uint64_t limit_bytes);

}  // namespace taffrail::profile
