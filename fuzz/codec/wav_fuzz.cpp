#include "codec/wav.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)taffrail::decode_wav({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
