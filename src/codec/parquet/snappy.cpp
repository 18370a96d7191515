#include "codec/parquet/snappy.h"

#include <cstring>

namespace taffrail::parquet {
namespace {

/// So many bytes are copied at once where both sides have them: most pieces are shorter.
constexpr std::size_t kStep = 16;

/// Little-endian, of one to four bytes.
std::size_t number(const std::byte* at, std::size_t bytes) noexcept {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        value |= static_cast<std::size_t>(at[i]) << (8 * i);
    }
    return value;
}

/// `length` bytes, and up to a step more behind them, which the caller knows to be there.
void copy_in_steps(std::byte* to, const std::byte* from, std::size_t length) noexcept {
    for (std::size_t done = 0; done < length; done += kStep) {
        std::memcpy(to + done, from + done, kStep);
    }
}

}  // namespace

bool unpack_snappy(ByteSpan block, std::span<std::byte> to) noexcept {
    ByteCursor cursor(block);
    if (cursor.varint() != to.size() || !cursor.ok()) {
        return false;
    }
    const std::byte* at = block.data() + cursor.offset();
    const std::byte* const end = block.data() + block.size();
    std::byte* out = to.data();
    std::byte* const out_end = out + to.size();
    while (at < end) {
        const auto tag = static_cast<unsigned>(*at++);
        const unsigned kind = tag & 3;
        if (kind == 0) {  // bytes as they are
            std::size_t length = tag >> 2;
            if (length >= 60) {
                const std::size_t bytes = length - 59;
                if (static_cast<std::size_t>(end - at) < bytes) {
                    return false;
                }
                length = number(at, bytes);
                at += bytes;
            }
            ++length;
            const auto given = static_cast<std::size_t>(end - at);
            const auto room = static_cast<std::size_t>(out_end - out);
            if (length > given || length > room) {
                return false;
            }
            if (length + kStep <= given && length + kStep <= room) {
                copy_in_steps(out, at, length);
            } else {
                std::memcpy(out, at, length);
            }
            at += length;
            out += length;
            continue;
        }
        const std::size_t bytes = kind == 1 ? 1 : kind == 2 ? 2 : 4;
        if (static_cast<std::size_t>(end - at) < bytes) {
            return false;
        }
        const std::size_t length = kind == 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
        const std::size_t distance =
            kind == 1 ? ((tag >> 5) << 8) | number(at, 1) : number(at, bytes);
        at += bytes;
        const auto room = static_cast<std::size_t>(out_end - out);
        if (distance == 0 || distance > static_cast<std::size_t>(out - to.data()) ||
            length > room) {
            return false;
        }
        const std::byte* const from = out - distance;
        if (distance >= kStep && length + kStep <= room) {
            copy_in_steps(out, from, length);
        } else {
            // Byte by byte: a copy may reach into what it makes itself.
            for (std::size_t i = 0; i < length; ++i) {
                out[i] = from[i];
            }
        }
        out += length;
    }
    return out == out_end;
}

}  // namespace taffrail::parquet
