// Any bytes as a row of Trackio, and as the manifest, settings and time beside it.
#include "ask.h"
#include "sources/trackio/values.h"

using namespace taffrail;
using namespace taffrail::sources::trackio;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(fuzz::input(data, size));
    static const bool made = [] {
        fuzz::put("memory://trackio/media/f", as_bytes("GIF89a"));
        return true;
    }();
    static_cast<void>(made);
    model::GatheredBlobs blobs;
    if (const auto row = parse_json(text); row.ok()) {
        static_cast<void>(flat(*row));
        for (const auto& [name, json] : row->is_object() ? *row->object() : Json::Object()) {
            const auto value = value_of(name, json, "memory://trackio", blobs);
            if (!number_of(json) && is_value(json) && value.ok() &&
                kind_of(*value) != kind_of_json(json)) {
                std::abort();  // lists name the kind before the value is made
            }
        }
    }
    static_cast<void>(artifact_of("a", "t", 1, text, text, "memory://trackio", "p", blobs));
    static_cast<void>(time_ns_of(text));
    return 0;
}
