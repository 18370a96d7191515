// The block that a killed process leaves: everything in it may be torn. A real block is 521 KiB of
// mostly nothing, so the input is laid over the parts of an empty one.
#include "zones/open_block.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffrail;
    Bytes block(4096 + zones::kNameBytes + zones::kOpenThreads * sizeof(zones::OpenThread));
    std::memcpy(block.data(), "TZOPEN1\n\1\0\0\0", 12);
    const std::size_t third = size / 3;
    const std::size_t places[] = {12, 4096, 4096 + zones::kNameBytes};
    for (std::size_t part = 0; part < 3; ++part) {
        const std::size_t length = std::min(third, block.size() - places[part]);
        std::memcpy(block.data() + places[part], data + part * third, length);
    }
    const auto found = zones::parse_open_zones(block, "fuzzed");
    if (found.ok() && found->zones.size() > std::size_t{zones::kOpenThreads} * zones::kOpenDepth) {
        std::abort();
    }
    (void)zones::parse_open_zones({reinterpret_cast<const std::byte*>(data), size}, "fuzzed");
    return 0;
}
