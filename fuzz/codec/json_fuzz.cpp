// What parses must print, and what was printed must parse to the same text again.
#include "codec/json.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto parsed = taffrail::parse_json({reinterpret_cast<const char*>(data), size});
    if (parsed.ok()) {
        const std::string text = parsed->dump();
        const auto again = taffrail::parse_json(text);
        if (!again.ok() || again->dump() != text) {
            std::abort();
        }
    }
    return 0;
}
