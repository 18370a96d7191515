// Changes one thing of a folder in its decoded form.
#pragma once

#include "document.h"

#include <span>
#include <string_view>

namespace taffrail::fuzzing {

/// Which files may be changed; the others stay as the seed has them. Every target has its own.
bool may_change(std::string_view name);

/// The body of LLVMFuzzerCustomMutator: parse, change, write back. Bytes that are no document are
/// left alone.
std::size_t mutate_serialised(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed);

/// The body of LLVMFuzzerCustomCrossOver: the first folder with something of the second. 0 where
/// one of them is no document or the result has no room.
std::size_t cross_serialised(std::span<const std::uint8_t> first,
                             std::span<const std::uint8_t> second, std::span<std::uint8_t> out,
                             unsigned seed);

}  // namespace taffrail::fuzzing
