#include "codec/parquet/bits.h"
#include "codec/parquet/encodings.h"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace taffrail::parquet {
namespace {

constexpr std::size_t kBlockValues = 128, kMiniblocks = 4,
                      kMiniblockValues = kBlockValues / kMiniblocks;

/// Differences wrap around: INT64_MIN after INT64_MAX is a step of one.
template <typename T>
T wrapping_difference(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}

template <typename T>
T wrapping_sum(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}

template <typename T>
void append_values(Bytes& to, std::span<const T> values) {
    using U = std::make_unsigned_t<T>;
    append_varint(to, kBlockValues);
    append_varint(to, kMiniblocks);
    append_varint(to, values.size());
    append_zigzag(to, values.empty() ? 0 : values[0]);
    for (std::size_t start = 1; start < values.size(); start += kBlockValues) {
        const std::size_t count = std::min(kBlockValues, values.size() - start);
        T deltas[kBlockValues] = {};
        U different = 0;
        for (std::size_t i = 0; i < count; ++i) {
            deltas[i] = wrapping_difference(values[start + i], values[start + i - 1]);
            different |= static_cast<U>(deltas[i] ^ deltas[0]);
        }
        if (different == 0) {  // steps, row numbers, whatever is the same in all rows
            append_zigzag(to, deltas[0]);
            to.insert(to.end(), kMiniblocks, std::byte{0});
            continue;
        }
        const T smallest = *std::min_element(deltas, deltas + count);
        append_zigzag(to, smallest);
        std::uint64_t over[kBlockValues] = {}, bits[kMiniblocks] = {};
        for (std::size_t i = 0; i < count; ++i) {
            over[i] = static_cast<U>(wrapping_difference(deltas[i], smallest));
            bits[i / kMiniblockValues] |= over[i];
        }
        unsigned width[kMiniblocks];
        for (std::size_t mini = 0; mini < kMiniblocks; ++mini) {
            width[mini] = static_cast<unsigned>(std::bit_width(bits[mini]));
            to.push_back(static_cast<std::byte>(width[mini]));
        }
        for (std::size_t mini = 0; mini < kMiniblocks && mini * kMiniblockValues < count; ++mini) {
            append_bits(to, std::span(over).subspan(mini * kMiniblockValues, kMiniblockValues),
                        width[mini]);
        }
    }
}

template <typename T>
bool read_values(ByteSpan bytes, std::span<T> values) {
    ByteCursor cursor(bytes);
    const std::uint64_t block = cursor.varint(), miniblocks = cursor.varint(),
                        total = cursor.varint();
    T value = static_cast<T>(cursor.zigzag());
    if (!cursor.ok() || total != values.size() || miniblocks == 0 || miniblocks > 512 ||
        block == 0 || block > 65536 || block % (32 * miniblocks) != 0) {
        return false;
    }
    if (values.empty()) {
        return true;
    }
    const std::size_t per_mini = static_cast<std::size_t>(block / miniblocks);
    values[0] = value;
    std::size_t at = 1;
    while (at < values.size()) {
        const T smallest = static_cast<T>(cursor.zigzag());
        const ByteSpan widths = cursor.take(miniblocks);
        for (std::size_t mini = 0; mini < widths.size() && at < values.size(); ++mini) {
            const auto width = static_cast<unsigned>(widths[mini]);
            if (width > 8 * sizeof(T)) {
                return false;
            }
            BitReader bits(cursor.take(per_mini * width / 8), width);
            if (!cursor.ok()) {
                return false;
            }
            const std::size_t end = std::min(values.size(), at + per_mini);
            for (; at < end; ++at) {
                value = wrapping_sum(
                    value, wrapping_sum(smallest, static_cast<T>(width == 0 ? 0 : bits.next())));
                values[at] = value;
            }
        }
        if (!cursor.ok()) {
            return false;
        }
    }
    return true;
}

}  // namespace

void append_delta_packed(Bytes& to, std::span<const std::int64_t> values) {
    append_values(to, values);
}

void append_delta_packed(Bytes& to, std::span<const std::int32_t> values) {
    append_values(to, values);
}

bool read_delta_packed(ByteSpan bytes, std::span<std::int64_t> values) {
    return read_values(bytes, values);
}

bool read_delta_packed(ByteSpan bytes, std::span<std::int32_t> values) {
    return read_values(bytes, values);
}

}  // namespace taffrail::parquet
