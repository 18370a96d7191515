#include "codec/tlog/frame.h"

#include "base/crc32c.h"

namespace taffrail::tlog {

std::uint32_t write_header(std::byte* to, const FrameHeader& header) noexcept {
    store_at(to, kFrameMagic);
    store_at(to + 8, header.type);
    store_at(to + 9, header.version);
    store_at(to + 10, header.flags);
    store_at(to + 12, header.rows);
    store_at(to + 16, header.first_seq);
    store_at(to + 24, header.stored_bytes);
    store_at(to + 28, header.payload_bytes);
    store_at(to + 32, header.payload_crc);
    store_at(to + 36, header.previous_crc);
    store_at(to + 40, header.nonce);
    const std::uint32_t crc = crc32c(ByteSpan(to + 8, kFrameHeaderBytes - 8));
    store_at(to + 4, crc);
    return crc;
}

std::optional<FrameHeader> parse_header(ByteSpan bytes) noexcept {
    if (bytes.size() < kFrameHeaderBytes || load<std::uint32_t>(bytes.data()) != kFrameMagic) {
        return std::nullopt;
    }
    const std::byte* from = bytes.data();
    FrameHeader header;
    header.header_crc = load<std::uint32_t>(from + 4);
    if (header.header_crc != crc32c(ByteSpan(from + 8, kFrameHeaderBytes - 8))) {
        return std::nullopt;
    }
    header.type = load<FrameType>(from + 8);
    header.version = load<std::uint8_t>(from + 9);
    header.flags = load<std::uint16_t>(from + 10);
    header.rows = load<std::uint32_t>(from + 12);
    header.first_seq = load<std::uint64_t>(from + 16);
    header.stored_bytes = load<std::uint32_t>(from + 24);
    header.payload_bytes = load<std::uint32_t>(from + 28);
    header.payload_crc = load<std::uint32_t>(from + 32);
    header.previous_crc = load<std::uint32_t>(from + 36);
    header.nonce = load<std::uint64_t>(from + 40);
    if (header.stored_bytes > kMaxPayloadBytes || header.payload_bytes > kMaxPayloadBytes) {
        return std::nullopt;
    }
    return header;
}

}  // namespace taffrail::tlog
