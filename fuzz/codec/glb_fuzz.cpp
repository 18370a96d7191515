#include "codec/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)taffrail::read_glb({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
