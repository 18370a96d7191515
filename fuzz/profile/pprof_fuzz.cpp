#include "exercise.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return taffrail::profile::fuzzing::exercise("pprof", data, size);
}
