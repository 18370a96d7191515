#include "codec/tpak/pack.h"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffrail;
    const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
    (void)tpak::parse_entry_header(bytes);
    (void)tpak::parse_index(bytes);
    (void)tpak::parse_trailer(bytes.last(std::min<std::size_t>(size, tpak::kTrailerBytes)), size);
    return 0;
}
