#include "profile/gunzip_part.h"

#include <zlib.h>

#include <algorithm>

namespace taffrail::profile {

GunzippedPart gunzip_part(ByteSpan bytes, std::uint64_t limit_bytes) {
    constexpr int kGzip = 16 + MAX_WBITS;
    GunzippedPart part;
    z_stream stream = {};
    if (inflateInit2(&stream, kGzip) != Z_OK) {
        return part;
    }
    std::size_t taken = 0, made = 0;
    for (;;) {
        if (made == part.bytes.size()) {
            if (made >= limit_bytes) {
                part.is_limited = true;
                break;
            }
            part.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(
                std::max<std::size_t>({made * 2, bytes.size() * 4, 65536}), limit_bytes)));
        }
        constexpr std::size_t kPiece = 1u << 30;
        const std::size_t in = std::min(bytes.size() - taken, kPiece);
        const std::size_t room = std::min(part.bytes.size() - made, kPiece);
        // zlib's interface knows no const; it only reads here.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + taken));
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef*>(part.bytes.data() + made);
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
    part.bytes.resize(made);
    return part;
}

}  // namespace taffrail::profile
