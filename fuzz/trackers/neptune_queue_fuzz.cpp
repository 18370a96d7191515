// Any bytes as the queue of the older Neptune client.
#include "ask.h"
#include "sources/neptune/discovery.h"

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool made = [] {
        fuzz::put("memory://queue/run/metadata.json", as_bytes("{}"));
        return true;
    }();
    static_cast<void>(made);
    fuzz::put("memory://queue/run/data-1.log", fuzz::input(data, size));
    fuzz::ask_all([] { return sources::neptune::find_runs("memory://queue"); });
    return 0;
}
