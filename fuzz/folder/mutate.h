// Changes one thing of a folder in its decoded form.
#pragma once

#include "document.h"

#include <functional>
#include <string_view>

namespace taffrail::fuzzing {

/// Says which files may be changed; the others stay as the seed has them.
using MayChange = std::function<bool(std::string_view name)>;

void mutate(FolderDocument& folder, unsigned seed, const MayChange& may_change);

/// The body of LLVMFuzzerCustomMutator: parse, change, write back. Bytes that are no document are
/// left alone.
std::size_t mutate_serialised(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed, const MayChange& may_change);

}  // namespace taffrail::fuzzing
