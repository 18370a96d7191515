// A trace of anything, analysed: parts stay the whole, and what is written is written.
#include "exercise.h"
#include "mutate.h"
#include "profile/analysis/write_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffrail;
    profile::Profile trace;
    if (!profile::find_format("chrome")
             ->read({reinterpret_cast<const std::byte*>(data), size}, trace)
             .ok()) {
        return 0;
    }
    const profile::analysis::Analysis found = profile::analysis::analyze(trace, {"fuzz"});
    for (const profile::analysis::Step& step : found.steps.all) {
        std::int64_t sum = 0;
        for (const std::int64_t part : step.time.part_ns) {
            sum += part;
        }
        if (sum != step.time.total_ns) {
            std::abort();
        }
    }
    JsonWriter json;
    profile::analysis::write_json(json, found);
    const std::array both = {found, found};
    profile::analysis::write_json(json, profile::analysis::compare_workers(both));
    profile::analysis::write_json(json, profile::analysis::difference(found, found));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return taffrail::profile::fuzzing::mutate("chrome", data, size, max_size, seed);
}
