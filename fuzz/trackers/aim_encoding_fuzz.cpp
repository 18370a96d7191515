// Any bytes as a key and a value of an Aim repository; a key that reads is written as it was.
#include "ask.h"
#include "codec/formats/aim/encoding.h"

#include <algorithm>

using namespace taffrail;
using namespace taffrail::formats::aim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes = fuzz::input(data, size);
    const Leaf leaf = parse_leaf(bytes);
    static_cast<void>(cell_of(leaf));
    if (leaf.content.size() > bytes.size()) {
        std::abort();
    }
    if (const auto parts = parse_path(bytes)) {
        Path again;
        for (const PathPart& part : *parts) {
            if (const auto* name = std::get_if<std::string>(&part)) {
                again.add(*name);
            } else {
                again.add(std::get<std::int64_t>(part));
            }
        }
        if (again.bytes() != as_text(bytes)) {
            std::abort();
        }
    }
    return 0;
}
