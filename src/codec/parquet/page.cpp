#include "codec/parquet/page.h"

#include "base/try.h"
#include "codec/parquet/byte_planes.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"

#include <algorithm>

namespace taffrail::parquet {
namespace {

template <typename T>
std::span<T> part(std::span<T> all, std::size_t first, std::size_t last) {
    return all.empty() ? all : all.subspan(first, last - first);
}

/// The values at rows that are not null, packed together.
template <typename T>
std::span<const T> pack(std::span<const T> values, std::span<const std::uint8_t> valid,
                        std::vector<T>& room) {
    if (valid.empty()) {
        return values;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (valid[i] != 0) {
            room.push_back(values[i]);
        }
    }
    return room;
}

void append_levels(Bytes& to, std::span<const std::uint32_t> levels) {
    const std::size_t length_at = to.size();
    append(to, std::uint32_t{0});
    append_rle(to, levels, 1);
    store_at(to.data() + length_at, static_cast<std::uint32_t>(to.size() - length_at - 4));
}

/// Levels of rows that are all alike: none is null, or each is.
void append_level_run(Bytes& to, std::size_t rows, std::uint8_t level) {
    const std::size_t length_at = to.size();
    append(to, std::uint32_t{0});
    append_varint(to, static_cast<std::uint64_t>(rows) << 1);
    to.push_back(static_cast<std::byte>(level));
    store_at(to.data() + length_at, static_cast<std::uint32_t>(to.size() - length_at - 4));
}

std::size_t finish_page(Bytes& to, PageHeader header, ByteSpan body, std::size_t plane_bytes) {
    thread_local Bytes packed;
    packed.clear();
    append_zstd(packed, body, plane_bytes);
    header.uncompressed_bytes = static_cast<std::int32_t>(body.size());
    header.compressed_bytes = static_cast<std::int32_t>(packed.size());
    header.crc = crc32(packed);
    const std::size_t start = to.size();
    append_page_header(to, header);
    const std::size_t header_bytes = to.size() - start;
    append(to, packed);
    return header_bytes;
}

}  // namespace

ColumnValues slice(const Column& column, const ColumnValues& values, std::size_t first,
                   std::size_t last) {
    ColumnValues sliced = values;
    sliced.valid = part(values.valid, first, last);
    if (column.shape == Shape::List) {
        sliced.offsets = values.offsets.subspan(first, last - first + 1);
        first = values.offsets[first];
        last = values.offsets[last];
    }
    sliced.doubles = part(values.doubles, first, last);
    sliced.int64s = part(values.int64s, first, last);
    sliced.int32s = part(values.int32s, first, last);
    sliced.texts = part(values.texts, first, last);
    return sliced;
}

PageResult append_data_page(Bytes& to, const Column& column, const ColumnValues& values,
                            std::size_t rows, Profile profile,
                            std::span<const std::uint32_t> indices, std::size_t dictionary_size) {
    PageResult result;
    thread_local Bytes body;
    thread_local std::vector<std::uint32_t> levels;
    body.clear();
    result.values = rows;
    const bool all_null =
        !values.valid.empty() &&
        std::ranges::all_of(values.valid, [](std::uint8_t valid) { return valid == 0; });
    if (column.shape == Shape::Optional && (values.valid.empty() || all_null) &&
        rows >= kShortestRun) {
        append_level_run(body, rows, all_null ? 0 : 1);
        result.nulls = all_null ? rows : 0;
    } else if (column.shape == Shape::Optional) {
        levels.assign(rows, 1);
        for (std::size_t i = 0; i < values.valid.size(); ++i) {
            levels[i] = values.valid[i] != 0;
            result.nulls += levels[i] == 0;
        }
        append_levels(body, levels);
    } else if (column.shape == Shape::List) {
        std::vector<std::uint32_t> repetition, definition;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::uint64_t length = values.offsets[row + 1] - values.offsets[row];
            for (std::uint64_t i = 0; i < std::max<std::uint64_t>(length, 1); ++i) {
                repetition.push_back(i > 0);
                definition.push_back(length > 0);
            }
            result.nulls += length == 0;
        }
        append_levels(body, repetition);
        append_levels(body, definition);
        result.values = repetition.size();
    }
    std::size_t plane_bytes = 0;
    switch (column.type) {
        case Type::Double: {
            std::vector<double> room;
            const std::span<const double> packed = pack(values.doubles, values.valid, room);
            if (profile == Profile::Standard) {
                result.encoding = Encoding::ByteStreamSplit;
                // Levels stand before the planes; they join the first block, which costs nothing.
                const std::size_t before = body.size();
                append_byte_planes(body, packed);
                plane_bytes = before < 64 ? packed.size() : 0;
            } else {
                append(body, std::as_bytes(packed));
            }
            break;
        }
        case Type::Int64: {
            std::vector<std::int64_t> room;
            result.encoding =
                profile == Profile::Standard ? Encoding::DeltaBinaryPacked : Encoding::Plain;
            const auto packed = pack(values.int64s, values.valid, room);
            profile == Profile::Standard ? append_delta_packed(body, packed)
                                         : append(body, std::as_bytes(packed));
            break;
        }
        case Type::Int32: {
            std::vector<std::int32_t> room;
            result.encoding =
                profile == Profile::Standard ? Encoding::DeltaBinaryPacked : Encoding::Plain;
            const auto packed = pack(values.int32s, values.valid, room);
            profile == Profile::Standard ? append_delta_packed(body, packed)
                                         : append(body, std::as_bytes(packed));
            break;
        }
        case Type::ByteArray: {
            if (dictionary_size > 0) {
                result.encoding = Encoding::RleDictionary;
                std::vector<std::uint32_t> room;
                const auto packed = pack(indices, values.valid, room);
                const unsigned bits =
                    std::max(1u, bits_for(static_cast<std::uint32_t>(dictionary_size - 1)));
                body.push_back(static_cast<std::byte>(bits));
                append_rle(body, packed, bits);
                break;
            }
            std::vector<std::string_view> room;
            for (const std::string_view text : pack(values.texts, values.valid, room)) {
                append(body, static_cast<std::uint32_t>(text.size()));
                append(body, taffrail::as_bytes(text));
            }
            break;
        }
    }
    const std::size_t start = to.size();
    const std::size_t header_bytes = finish_page(
        to, {.values = static_cast<std::int32_t>(result.values), .encoding = result.encoding}, body,
        plane_bytes);
    result.compressed_bytes = to.size() - start;
    result.uncompressed_bytes = header_bytes + body.size();
    return result;
}

PageResult append_dictionary_page(Bytes& to, std::span<const std::string_view> entries) {
    Bytes body;
    for (const std::string_view text : entries) {
        append(body, static_cast<std::uint32_t>(text.size()));
        append(body, taffrail::as_bytes(text));
    }
    const std::size_t start = to.size();
    const std::size_t header_bytes = finish_page(
        to, {.dictionary = true, .values = static_cast<std::int32_t>(entries.size())}, body, 0);
    return {header_bytes + body.size(), to.size() - start, entries.size(), 0, Encoding::Plain};
}

}  // namespace taffrail::parquet
