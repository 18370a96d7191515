// Changes a file by what it means: it is read, the profile is changed, and written again. Bytes are
// changed too, half of the time, so that broken files are tried as often as strange ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace taffrail::profile::fuzzing {

std::size_t mutate(std::string_view format, std::uint8_t* data, std::size_t size,
                   std::size_t max_size, unsigned seed);

}  // namespace taffrail::profile::fuzzing
