// Any bytes as the files of MLflow's file store: up to the first zero byte a run's meta.yaml, the
// rest points of a metric.
#include "ask.h"
#include "codec/formats/mlflow/names.h"
#include "sources/mlflow/discovery.h"

#include <algorithm>

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes = fuzz::input(data, size);
    const auto end =
        static_cast<std::size_t>(std::ranges::find(bytes, std::byte{0}) - bytes.begin());
    const std::string_view meta = as_text(bytes.first(end));
    static const bool made = [] {
        fuzz::put("memory://mlruns/1/meta.yaml", as_bytes("experiment_id: '1'\nname: x\n"));
        return true;
    }();
    static_cast<void>(made);
    fuzz::put("memory://mlruns/1/r/meta.yaml", as_bytes("run_id: r\n" + std::string(meta)));
    fuzz::put("memory://mlruns/1/r/metrics/loss", bytes.subspan(std::min(end + 1, size)));
    fuzz::put("memory://mlruns/1/r/params/p", bytes.first(end));
    fuzz::ask_all([] { return sources::mlflow::runs_of_folder("memory://mlruns"); });

    using namespace formats::mlflow;
    if (unescaped(escaped(meta)) != meta) {
        std::abort();  // a key comes back as it was
    }
    static_cast<void>(parse_image_name(meta));
    return 0;
}
