// The 48-byte frame header of the live log and what follows it: docs/formats/tlog.md, section
// Frame.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>

namespace taffrail::tlog {

inline constexpr std::uint32_t kFrameMagic = 0x31474C54;  // "TLG1"
inline constexpr std::size_t kFrameHeaderBytes = 48;
inline constexpr std::uint32_t kMaxPayloadBytes = 1u << 30;

enum class FrameType : std::uint8_t { Header = 1, Batch = 2, Checkpoint = 3, End = 4 };

struct FrameHeader {
    static constexpr std::uint16_t kCompressed = 1;

    std::uint32_t header_crc = 0;
    FrameType type = FrameType::Batch;  ///< may hold a number this version does not know
    std::uint8_t version = 1;
    std::uint16_t flags = 0;
    std::uint32_t rows = 0;
    std::uint64_t first_seq = 0;
    std::uint32_t stored_bytes = 0;
    std::uint32_t payload_bytes = 0;
    std::uint32_t payload_crc = 0;
    std::uint32_t previous_crc = 0;
    std::uint64_t nonce = 0;

    [[nodiscard]] std::uint64_t frame_bytes() const noexcept {
        return kFrameHeaderBytes + std::uint64_t{stored_bytes};
    }

    [[nodiscard]] bool compressed() const noexcept { return (flags & kCompressed) != 0; }
};

/// Writes the header at `to` (48 bytes) and returns its CRC, which the next frame carries as
/// previous_crc.
std::uint32_t write_header(std::byte* to, const FrameHeader& header) noexcept;

/// The header at the beginning of `bytes` when magic, CRC and lengths fit; the payload is not
/// looked at.
std::optional<FrameHeader> parse_header(ByteSpan bytes) noexcept;

}  // namespace taffrail::tlog
