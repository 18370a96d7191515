// ZIP archives read by their list of entries, ZIP64 too. Nothing in them is trusted: every place
// and length is checked, and no entry unpacks to more than it says or than the caller allows.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

struct ZipEntry {
    std::string name;
    std::uint64_t size = 0, packed = 0;
    std::uint64_t offset = 0;  ///< of its local header
    std::uint32_t crc = 0;
    std::uint16_t method = 0;  ///< 0 stored, 8 deflated
};

class ZipReader {
  public:
    /// Reads exactly `size` bytes at `offset`, or fails.
    using ReadAt = std::function<Result<Bytes>(std::uint64_t offset, std::uint64_t size)>;

    static Result<ZipReader> open(ReadAt read_at, std::uint64_t file_bytes);

    [[nodiscard]] const std::vector<ZipEntry>& entries() const noexcept { return entries_; }

    /// The last entry of that name; null where there is none.
    [[nodiscard]] const ZipEntry* find(std::string_view name) const noexcept;
    /// The bytes of an entry, checked against its CRC-32. More than `limit` bytes are refused.
    [[nodiscard]] Result<Bytes> read(const ZipEntry& entry, std::uint64_t limit) const;
    /// A part of a stored entry, unchecked: for long ones that are read in pieces.
    [[nodiscard]] Result<Bytes> read_part(const ZipEntry& entry, std::uint64_t offset,
                                          std::uint64_t size) const;

  private:
    [[nodiscard]] Result<std::uint64_t> data_offset(const ZipEntry& entry) const;

    ReadAt read_at_;
    std::uint64_t file_bytes_ = 0;
    std::vector<ZipEntry> entries_;
};

}  // namespace taffrail
