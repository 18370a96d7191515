// Sealed files changed and signed again, so that what they claim gets past every checksum.
#pragma once

#include "base/crc32c.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/format.h"
#include "seal/index.h"

#include <functional>
#include <optional>

namespace taffrail::seal::testing {

struct IndexPlace {
    IndexTrailer trailer;
    FileIndex index;
    std::size_t end = 0;  ///< of the trailer: the Parquet footer begins here
};

/// The index of a sealed file of scalars, which must be whole.
inline IndexPlace index_of(ByteSpan bytes) {
    IndexPlace place;
    const std::size_t footer = load<std::uint32_t>(bytes.data() + bytes.size() - 8);
    place.end = bytes.size() - 8 - footer;
    place.trailer =
        decode_trailer(bytes.subspan(place.end - IndexTrailer::kBytes, IndexTrailer::kBytes))
            .value();
    Bytes index(place.trailer.bytes);
    if (parquet::unpack_zstd(bytes.subspan(place.trailer.offset, place.trailer.stored_bytes),
                             index)) {
        place.index = decode_index(index, bytes.size()).value();
    }
    return place;
}

enum class Footer : std::uint8_t { Kept, Dropped };

/// The file with a changed index.
inline Bytes with_index(ByteSpan bytes, Footer footer,
                        const std::function<void(FileIndex&)>& edit) {
    IndexPlace place = index_of(bytes);
    edit(place.index);
    const Bytes changed = encode_index(place.index);
    Bytes stored;
    Bytes file(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(place.trailer.offset));
    parquet::append_zstd(stored, changed);
    place.trailer.stored_bytes = static_cast<std::uint32_t>(stored.size());
    place.trailer.bytes = static_cast<std::uint32_t>(changed.size());
    place.trailer.crc = crc32c(stored);
    append(file, stored);
    append_trailer(file, place.trailer);
    if (footer == Footer::Kept) {
        append(file, bytes.subspan(place.end));
    } else {
        append(file, std::uint32_t{0});
        append(file, as_bytes("PAR1"));
    }
    return file;
}

/// The file with the body of a page changed in place. Nothing where the new one does not take as
/// many bytes as the old.
inline std::optional<Bytes> with_page(ByteSpan bytes, std::size_t column, std::size_t page,
                                      const std::function<void(Bytes& body)>& edit) {
    const parquet::PagePlace at = index_of(bytes).index.pages.at(column).at(page);
    const ByteSpan old = bytes.subspan(at.offset, at.bytes);
    const parquet::ParsedPageHeader parsed = parquet::decode_page_header(old).value();
    Bytes body(static_cast<std::size_t>(parsed.header.uncompressed_bytes));
    if (!parquet::unpack_zstd(old.subspan(parsed.bytes), body)) {
        return std::nullopt;
    }
    edit(body);
    Bytes packed, changed;
    parquet::append_zstd(packed, body);
    parquet::PageHeader header = parsed.header;
    header.uncompressed_bytes = static_cast<std::int32_t>(body.size());
    header.compressed_bytes = static_cast<std::int32_t>(packed.size());
    header.crc = parquet::crc32(packed);
    parquet::append_page_header(changed, header);
    append(changed, packed);
    if (changed.size() != old.size()) {
        return std::nullopt;
    }
    Bytes file(bytes.begin(), bytes.end());
    std::ranges::copy(changed, file.begin() + static_cast<std::ptrdiff_t>(at.offset));
    return file;
}

}  // namespace taffrail::seal::testing
