#include "codec/parquet/bits.h"
#include "codec/parquet/encodings.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace taffrail::parquet {
namespace {

void append_packed(Bytes& to, std::span<const std::uint32_t> values, unsigned bits) {
    const std::size_t groups = (values.size() + 7) / 8;
    append_varint(to, (groups << 1) | 1);
    for (std::size_t start = 0; start < values.size(); start += 8) {
        std::uint64_t group[8] = {};
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(start),
                    std::min<std::size_t>(8, values.size() - start), group);
        append_bits(to, group, bits);
    }
}

std::size_t run_length(std::span<const std::uint32_t> values, std::size_t at) {
    std::size_t end = at + 1;
    while (end < values.size() && values[end] == values[at]) {
        ++end;
    }
    return end - at;
}

}  // namespace

unsigned bits_for(std::uint32_t largest) noexcept {
    return static_cast<unsigned>(std::bit_width(largest));
}

void append_rle(Bytes& to, std::span<const std::uint32_t> values, unsigned bits) {
    std::size_t packed_from = 0, at = 0;
    const auto flush = [&] {
        if (packed_from < at) {
            append_packed(to, values.subspan(packed_from, at - packed_from), bits);
        }
    };
    while (at < values.size()) {
        std::size_t run = run_length(values, at);
        // A packed stretch ends only on a multiple of eight values, so a run first completes the
        // group before it.
        const std::size_t owed = (8 - (at - packed_from) % 8) % 8;
        if (run < kShortestRun + owed) {
            at += run;
            continue;
        }
        at += owed;
        run -= owed;
        flush();
        append_varint(to, static_cast<std::uint64_t>(run) << 1);
        for (unsigned byte = 0; byte < (bits + 7) / 8; ++byte) {
            to.push_back(static_cast<std::byte>(values[at] >> (8 * byte)));
        }
        at += run;
        packed_from = at;
    }
    flush();
}

bool read_rle(ByteSpan bytes, unsigned bits, std::span<std::uint32_t> values) {
    if (bits > 32) {
        return false;
    }
    ByteCursor cursor(bytes);
    std::size_t at = 0;
    while (at < values.size()) {
        const std::uint64_t header = cursor.varint();
        const std::uint64_t length = header >> 1;
        if (!cursor.ok() || length == 0 || length > UINT32_MAX) {
            return false;
        }
        if ((header & 1) == 0) {
            std::uint32_t value = 0;
            for (unsigned byte = 0; byte < (bits + 7) / 8; ++byte) {
                value |= static_cast<std::uint32_t>(cursor.read<std::byte>()) << (8 * byte);
            }
            // Whole bytes can hold more than `bits` say; what follows trusts the width.
            if (std::cmp_greater(std::bit_width(value), bits)) {
                return false;
            }
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(length, values.size() - at));
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at), count, value);
            at += count;
        } else {
            BitReader reader(cursor.take(length * bits), bits);
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(8 * length, values.size() - at));
            for (std::size_t end = at + count; at < end && cursor.ok(); ++at) {
                values[at] = bits == 0 ? 0 : static_cast<std::uint32_t>(reader.next());
            }
        }
        if (!cursor.ok()) {
            return false;
        }
    }
    return true;
}

}  // namespace taffrail::parquet
