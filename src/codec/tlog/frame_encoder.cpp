#include "codec/tlog/frame_encoder.h"

#include "base/crc32c.h"
#include "codec/tlog/budget.h"

namespace taffrail::tlog {
namespace {

// Below this zstd's own framing outweighs what it saves.
constexpr std::size_t kWorthCompressing = 64;

}  // namespace

StoredPayload FrameEncoder::store(FrameType type, ByteSpan payload, std::uint32_t rows,
                                  std::uint64_t first_seq) {
    StoredPayload result;
    result.type = type;
    result.rows = rows;
    result.first_seq = first_seq;
    result.payload_bytes = static_cast<std::uint32_t>(payload.size());
    if (payload.size() >= kWorthCompressing && compressor_.compress(result.stored, payload) &&
        payload.size() <= most_payload_bytes(result.stored.size())) {
        result.flags = FrameHeader::kCompressed;
    } else {
        result.stored.assign(payload.begin(), payload.end());
    }
    result.payload_crc = crc32c(result.stored);
    return result;
}

void FrameEncoder::append_frame(Bytes& to, const StoredPayload& payload) {
    FrameHeader header;
    header.type = payload.type;
    header.flags = payload.flags;
    header.rows = payload.rows;
    header.first_seq = payload.first_seq;
    header.stored_bytes = static_cast<std::uint32_t>(payload.stored.size());
    header.payload_bytes = payload.payload_bytes;
    header.payload_crc = payload.payload_crc;
    header.previous_crc = previous_crc_;
    header.nonce = nonce_;
    const std::size_t before = to.size();
    to.resize(before + kFrameHeaderBytes);
    previous_crc_ = write_header(to.data() + before, header);
    append(to, payload.stored);
}

}  // namespace taffrail::tlog
