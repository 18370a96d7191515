// Any bytes as a Comet archive: its list of entries, and what they unpack to.
#include "ask.h"
#include "sources/comet/discovery.h"

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::put("memory://archives/run.zip", fuzz::input(data, size));
    fuzz::ask_all([] { return sources::comet::find_runs("memory://archives"); });
    return 0;
}
