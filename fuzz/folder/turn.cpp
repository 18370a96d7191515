#include "turn.h"

#include "base/crc32c.h"

#include <sys/stat.h>

#include <span>

namespace {

bool files_are_given = false;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
    for (int i = 1; i < *count; ++i) {
        struct stat found{};
        if (stat((*words)[i], &found) == 0 && S_ISREG(found.st_mode)) {
            files_are_given = true;
        }
    }
    return 0;
}

namespace taffrail::fuzzing {

Turn::Turn(const std::uint8_t* data, std::size_t size)
    : share_(static_cast<Share>(crc32c(std::as_bytes(std::span(data, size))) % kShares)),
      takes_all_(files_are_given) {}

}  // namespace taffrail::fuzzing
