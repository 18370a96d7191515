// What a manifest says about the size and the checksum of files, which are not known before those
// are put together.
#pragma once

#include "document.h"

#include <functional>

namespace taffrail::fuzzing {

/// Zeros in their place mean "as they are" in a document.
void forget_checksums(FileDocument& manifest);

/// Fills in the zeros. `find` gives the bytes of a file in the data folder, or null; numbers that
/// somebody changed stay.
void fill_in_checksums(FileDocument& manifest,
                       const std::function<const Bytes*(std::string_view name)>& find);

}  // namespace taffrail::fuzzing
