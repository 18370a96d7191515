#include "codec/png.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)taffrail::decode_png({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
