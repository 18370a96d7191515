// What decodes must encode to bytes that decode to the same bytes.
#include "codec/value_codec.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto value = taffrail::decode_value({reinterpret_cast<const std::byte*>(data), size});
    if (value.ok()) {
        const taffrail::Bytes bytes = taffrail::encode_value(*value);
        const auto again = taffrail::decode_value(bytes);
        if (!again.ok() || taffrail::encode_value(*again) != bytes) {
            std::abort();
        }
    }
    return 0;
}
