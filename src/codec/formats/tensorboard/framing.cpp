#include "codec/formats/tensorboard/framing.h"

namespace taffrail::formats::tensorboard {

void append_record(Bytes& to, ByteSpan payload) {
    const std::uint64_t length = payload.size();
    to.reserve(to.size() + payload.size() + kFrameBytes);
    append(to, length);
    append(to, masked_crc32c(ByteSpan(to).last(sizeof length)));
    append(to, payload);
    append(to, masked_crc32c(payload));
}

bool is_header(const std::byte* at) noexcept {
    return masked_crc32c({at, sizeof(std::uint64_t)}) ==
           load<std::uint32_t>(at + sizeof(std::uint64_t));
}

Scan scan_record(ByteSpan bytes) noexcept {
    if (bytes.size() < kHeaderBytes) {
        return {};
    }
    if (!is_header(bytes.data())) {
        return {.status = ScanStatus::BadHeader, .length = 0, .payload = {}};
    }
    const auto length = load<std::uint64_t>(bytes.data());
    const std::size_t room = bytes.size() - kHeaderBytes;
    if (room < kFooterBytes || length > room - kFooterBytes) {
        return {.status = ScanStatus::NeedMore, .length = length, .payload = {}};
    }
    const ByteSpan payload = bytes.subspan(kHeaderBytes, static_cast<std::size_t>(length));
    const auto stored = load<std::uint32_t>(payload.data() + payload.size());
    const bool fits = masked_crc32c(payload) == stored;
    return {.status = fits ? ScanStatus::Record : ScanStatus::BadPayload,
            .length = length,
            .payload = payload};
}

std::optional<std::size_t> find_header(ByteSpan bytes, std::size_t from) noexcept {
    for (std::size_t at = from; at + kHeaderBytes <= bytes.size(); ++at) {
        if (is_header(bytes.data() + at)) {
            return at;
        }
    }
    return std::nullopt;
}

}  // namespace taffrail::formats::tensorboard
