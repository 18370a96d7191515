// The sources that can be read. Parts of the library add themselves here; src/builtins says which
// are in the build.
#pragma once

#include <taffrail/reader.h>

#include "base/registry.h"

namespace taffrail::model {

Registry<SourceInfo>& source_registry();

}  // namespace taffrail::model
