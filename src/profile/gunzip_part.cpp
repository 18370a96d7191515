#include "profile/gunzip_part.h"

#include "base/try.h"
#include "io/map_memory.h"

#include <zlib.h>

#include <algorithm>

namespace taffrail::profile {

Result<GunzippedPart> gunzip_part(ByteSpan bytes, std::uint64_t limit_bytes) {
    // Deflate makes at most so much of a byte. Pages take memory only when they are written to.
    constexpr std::uint64_t kMostOfAByte = 1032, kAtLeast = 1u << 16;
    GunzippedPart part;
    TAFFRAIL_ASSIGN(part.pages,
                    io::map_memory(static_cast<std::size_t>(
                        std::max(std::min(limit_bytes, bytes.size() * kMostOfAByte), kAtLeast))));
    const std::size_t most =
        static_cast<std::size_t>(std::min<std::uint64_t>(part.pages.size(), limit_bytes));
    if (most >= (16u << 20)) {
        io::prefer_large_pages(part.pages);
    }
    constexpr int kGzip = 16 + MAX_WBITS;
    z_stream stream = {};
    if (inflateInit2(&stream, kGzip) != Z_OK) {
        return Error{ErrorCode::Unavailable, "no memory to unpack a gzip stream"};
    }
    std::size_t taken = 0, made = 0;
    for (;;) {
        if (made == most) {
            part.is_limited = true;
            break;
        }
        constexpr std::size_t kPiece = 1u << 30;
        const std::size_t in = std::min(bytes.size() - taken, kPiece);
        const std::size_t room = std::min(most - made, kPiece);
        // zlib's interface knows no const; it only reads here.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + taken));
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef*>(part.pages.data() + made);
        stream.avail_out = static_cast<uInt>(room);
        const int result = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        made += room - stream.avail_out;
        if (result == Z_STREAM_END) {
            // Members may follow each other; anything else behind the last one is not ours.
            if (bytes.size() - taken < 2 || bytes[taken] != std::byte{0x1F} ||
                bytes[taken + 1] != std::byte{0x8B}) {
                part.is_whole = true;
                break;
            }
            inflateReset(&stream);
        } else if (result != Z_OK || (taken == bytes.size() && stream.avail_out > 0)) {
            break;
        }
    }
    inflateEnd(&stream);
    part.size = made;
    return part;
}

}  // namespace taffrail::profile
