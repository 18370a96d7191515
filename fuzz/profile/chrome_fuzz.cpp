#include "exercise.h"
#include "mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return taffrail::profile::fuzzing::exercise("chrome", data, size);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return taffrail::profile::fuzzing::mutate("chrome", data, size, max_size, seed);
}
