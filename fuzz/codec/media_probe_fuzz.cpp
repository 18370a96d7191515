#include "codec/media_probe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)taffrail::probe_media({reinterpret_cast<const std::byte*>(data), size}, "x.obj");
    return 0;
}
