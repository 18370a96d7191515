// Any bytes as an operation of neptune-scale's log.
#include "ask.h"
#include "codec/formats/neptune/decode.h"

using namespace taffrail;
using namespace taffrail::formats::neptune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes = fuzz::input(data, size);
    static_cast<void>(decode_create(bytes));
    static_cast<void>(decode_head(bytes));
    std::size_t entries = 0;
    const auto count = [&](std::string_view, const AttributeValue&) { ++entries; };
    decode_entries(bytes,
                   {count, count, [&](std::string_view, std::string_view, bool) { ++entries; }});
    if (entries > size) {
        std::abort();
    }
    return 0;
}
