#include "codec/tpak/pack.h"

#include "base/crc32c.h"

namespace taffrail::tpak {
namespace {

constexpr std::uint32_t kEntryMagic = 0x314B5054;  // "TPK1"
constexpr std::uint32_t kIndexMagic = 0x584B5054;  // "TPKX"
constexpr std::uint32_t kEndMagic = 0x454B5054;    // "TPKE"
constexpr std::size_t kIndexEntryBytes = 48;

}  // namespace

std::array<std::byte, kEntryHeaderBytes> entry_header(const BlobRef& ref) noexcept {
    std::array<std::byte, kEntryHeaderBytes> header;
    store_at(header.data(), kEntryMagic);
    store_at(header.data() + 8, ref.size);
    store_at(header.data() + 16, ref.sha256);
    store_at(header.data() + 4, crc32c(ByteSpan(header).subspan(8)));
    return header;
}

std::optional<BlobRef> parse_entry_header(ByteSpan bytes) noexcept {
    if (bytes.size() < kEntryHeaderBytes || load<std::uint32_t>(bytes.data()) != kEntryMagic ||
        load<std::uint32_t>(bytes.data() + 4) != crc32c(bytes.subspan(8, kEntryHeaderBytes - 8))) {
        return std::nullopt;
    }
    BlobRef ref;
    ref.size = load<std::uint64_t>(bytes.data() + 8);
    ref.sha256 = load<std::array<std::uint8_t, 32>>(bytes.data() + 16);
    return ref;
}

Bytes encode_index(const std::vector<Entry>& entries, std::uint64_t offset) {
    Bytes bytes;
    append(bytes, kIndexMagic);
    append(bytes, std::uint32_t{0});
    append(bytes, std::uint64_t{entries.size()});
    for (const Entry& entry : entries) {
        append(bytes, entry.ref.sha256);
        append(bytes, entry.offset);
        append(bytes, entry.ref.size);
    }
    store_at(bytes.data() + 4, crc32c(ByteSpan(bytes).subspan(8)));
    const std::uint64_t length = bytes.size();
    const std::size_t trailer = bytes.size();
    append(bytes, offset);
    append(bytes, length);
    append(bytes, crc32c(ByteSpan(bytes).subspan(trailer)));
    append(bytes, kEndMagic);
    return bytes;
}

std::optional<IndexPlace> parse_trailer(ByteSpan trailer, std::uint64_t file_bytes) noexcept {
    if (trailer.size() != kTrailerBytes || load<std::uint32_t>(trailer.data() + 20) != kEndMagic ||
        load<std::uint32_t>(trailer.data() + 16) != crc32c(trailer.first(16))) {
        return std::nullopt;
    }
    const IndexPlace place{load<std::uint64_t>(trailer.data()),
                           load<std::uint64_t>(trailer.data() + 8)};
    if (place.offset > file_bytes || place.length != file_bytes - place.offset - kTrailerBytes) {
        return std::nullopt;
    }
    return place;
}

std::optional<std::vector<Entry>> parse_index(ByteSpan index) {
    if (index.size() < 16 || load<std::uint32_t>(index.data()) != kIndexMagic ||
        load<std::uint32_t>(index.data() + 4) != crc32c(index.subspan(8)) ||
        load<std::uint64_t>(index.data() + 8) != (index.size() - 16) / kIndexEntryBytes ||
        (index.size() - 16) % kIndexEntryBytes != 0) {
        return std::nullopt;
    }
    std::vector<Entry> entries;
    for (std::size_t at = 16; at < index.size(); at += kIndexEntryBytes) {
        Entry entry;
        entry.ref.sha256 = load<std::array<std::uint8_t, 32>>(index.data() + at);
        entry.offset = load<std::uint64_t>(index.data() + at + 32);
        entry.ref.size = load<std::uint64_t>(index.data() + at + 40);
        entries.push_back(entry);
    }
    return entries;
}

}  // namespace taffrail::tpak
