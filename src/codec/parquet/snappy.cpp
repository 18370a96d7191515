#include "codec/parquet/snappy.h"

#include <algorithm>

namespace taffrail::parquet {
namespace {

/// Little-endian, of one to four bytes.
std::size_t number(ByteCursor& cursor, unsigned bytes) noexcept {
    std::size_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        value |= static_cast<std::size_t>(cursor.read<std::uint8_t>()) << (8 * i);
    }
    return value;
}

}  // namespace

bool unpack_snappy(ByteSpan block, std::span<std::byte> to) noexcept {
    ByteCursor cursor(block);
    if (cursor.varint() != to.size() || !cursor.ok()) {
        return false;
    }
    std::size_t filled = 0;
    while (cursor.remaining() > 0) {
        const unsigned tag = cursor.read<std::uint8_t>();
        std::size_t length = 0, distance = 0;
        switch (tag & 3) {
            case 0: {  // bytes as they are
                length = tag >> 2;
                length =
                    (length < 60 ? length : number(cursor, static_cast<unsigned>(length) - 59)) + 1;
                const ByteSpan plain = cursor.take(length);
                if (!cursor.ok() || length > to.size() - filled) {
                    return false;
                }
                std::ranges::copy(plain, to.begin() + static_cast<std::ptrdiff_t>(filled));
                filled += length;
                continue;
            }
            case 1:
                length = ((tag >> 2) & 7) + 4;
                distance = ((tag >> 5) << 8) | number(cursor, 1);
                break;
            default:
                length = (tag >> 2) + 1;
                distance = number(cursor, (tag & 3) == 2 ? 2 : 4);
                break;
        }
        if (!cursor.ok() || distance == 0 || distance > filled || length > to.size() - filled) {
            return false;
        }
        // Byte by byte: a copy may reach into what it makes itself.
        for (std::size_t i = 0; i < length; ++i, ++filled) {
            to[filled] = to[filled - distance];
        }
    }
    return filled == to.size();
}

}  // namespace taffrail::parquet
