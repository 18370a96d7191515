// Any bytes as the messages of a Comet archive, in the folder it is made of.
#include "ask.h"
#include "sources/comet/discovery.h"

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool made = [] {
        fuzz::put("memory://comet/run/experiment.json",
                  as_bytes(R"({"offline_id":"0123456789abcdef0123456789abcdef","project_name":"p",)"
                           R"("workspace":null,"start_time":1,"stop_time":2,"tags":[]})"));
        fuzz::put("memory://comet/run/file.json",
                  as_bytes(R"({"version":2,"index_values":{"5":1},"offset":0})"));
        return true;
    }();
    static_cast<void>(made);
    fuzz::put("memory://comet/run/messages.json", fuzz::input(data, size));
    fuzz::ask_all([] { return sources::comet::find_runs("memory://comet"); });
    return 0;
}
