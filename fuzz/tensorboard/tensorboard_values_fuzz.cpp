// Any bytes as messages: first byte chooses the plugin, the rest is an event, a value, metadata, a
// graph, a layout.
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/layout.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/tensor.h"
#include "sources/tensorboard/projector.h"

#include <array>
#include <string_view>

using namespace taffrail;
using namespace taffrail::formats::tensorboard;
using namespace taffrail::sources::tensorboard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    static constexpr std::array<std::string_view, 11> plugins{
        "",       kScalars, kImages,   kAudio,         kText,  kHistograms,
        kHparams, kMesh,    kPrCurves, kCustomScalars, "other"};
    const std::string_view plugin = plugins[data[0] % plugins.size()];
    const ByteSpan bytes{reinterpret_cast<const std::byte*>(data + 1), size - 1};
    EventView event;
    parse_event(bytes, event);
    const auto decode = [&](const ValueView& value) {
        if (const auto kind = classify(plugin, value)) {
            static_cast<void>(decode_value(*kind, plugin, as_text(bytes), value, loaded_blob));
        }
    };
    for_each_value(event.body, [&](const ValueView& value, ByteSpan) { decode(value); });
    ValueView value;
    if (parse_value(bytes, value)) {
        decode(value);
    }
    for (ValueContent content :
         {ValueContent::Image, ValueContent::Histo, ValueContent::Audio, ValueContent::Tensor}) {
        ValueView whole;
        whole.content = content;
        whole.body = bytes;
        decode(whole);
    }
    static_cast<void>(tensor_scalar(bytes));
    static_cast<void>(decode_graph(bytes));
    static_cast<void>(decode_hparams(bytes));
    static_cast<void>(decode_mesh_part(bytes));
    static_cast<void>(decode_layout(bytes));
    static_cast<void>(parse_projector_config(as_text(bytes), "folder"));
    return 0;
}
