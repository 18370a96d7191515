// Records of an event file: length, CRC of the length, payload, CRC of the payload. See
// docs/formats/tensorboard.md.
#pragma once

#include "base/bytes.h"
#include "base/crc32c.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace taffrail::formats::tensorboard {

inline constexpr std::size_t kHeaderBytes = 12;
inline constexpr std::size_t kFooterBytes = 4;
inline constexpr std::size_t kFrameBytes = kHeaderBytes + kFooterBytes;

/// A CRC stored beside the bytes it covers is masked, so that a CRC over it stays meaningful.
constexpr std::uint32_t mask_crc(std::uint32_t crc) noexcept {
    return std::rotr(crc, 15) + 0xA282EAD8u;
}

inline std::uint32_t masked_crc32c(ByteSpan bytes) noexcept {
    return mask_crc(crc32c(bytes));
}

/// Appends one whole record.
void append_record(Bytes& to, ByteSpan payload);

enum class ScanStatus : std::uint8_t {
    Record,      ///< payload is whole and its CRC fits
    NeedMore,    ///< the header is fine, the bytes end before the payload does (or before a header)
    BadHeader,   ///< the length fails its CRC
    BadPayload,  ///< the payload fails its CRC; `payload` shows it nevertheless
};

struct Scan {
    ScanStatus status = ScanStatus::NeedMore;
    std::uint64_t length = 0;  ///< declared payload length where the header is fine; may be absurd
    ByteSpan payload;
};

/// Looks at the record that starts at bytes[0]. Allocates nothing, whatever the length says.
Scan scan_record(ByteSpan bytes) noexcept;

/// True when the twelve bytes at `at` are a length with its right CRC.
bool is_header(const std::byte* at) noexcept;

/// Offset of the next place in `bytes` at or after `from` where a header stands, or nothing. The
/// caller still checks the payload: four bytes agree by chance once in 2^32.
std::optional<std::size_t> find_header(ByteSpan bytes, std::size_t from) noexcept;

}  // namespace taffrail::formats::tensorboard
