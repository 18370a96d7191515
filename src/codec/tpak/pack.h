// Packs: media bytes one after the other, each under its SHA-256. docs/formats/tpak.md.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace taffrail::tpak {

inline constexpr std::size_t kEntryHeaderBytes = 48;
inline constexpr std::size_t kTrailerBytes = 24;

struct Entry {
    BlobRef ref;
    std::uint64_t offset = 0;  ///< of the entry's header

    [[nodiscard]] std::uint64_t end() const noexcept {
        return offset + kEntryHeaderBytes + ref.size;
    }
};

/// The 48 bytes in front of a blob.
std::array<std::byte, kEntryHeaderBytes> entry_header(const BlobRef& ref) noexcept;
/// The blob that begins behind these 48 bytes; nothing when they are no entry header.
std::optional<BlobRef> parse_entry_header(ByteSpan bytes) noexcept;

/// Index and trailer, to be written at `offset` = the end of the last entry.
Bytes encode_index(const std::vector<Entry>& entries, std::uint64_t offset);

/// Where the index of a closed pack begins, from the file's last 24 bytes.
struct IndexPlace {
    std::uint64_t offset = 0, length = 0;
};

std::optional<IndexPlace> parse_trailer(ByteSpan trailer, std::uint64_t file_bytes) noexcept;
/// The entries of an index; nothing when its checksum does not fit.
std::optional<std::vector<Entry>> parse_index(ByteSpan index);

}  // namespace taffrail::tpak
