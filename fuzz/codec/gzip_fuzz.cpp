#include "codec/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)taffrail::gunzip({reinterpret_cast<const std::byte*>(data), size}, 1u << 20);
    return 0;
}
