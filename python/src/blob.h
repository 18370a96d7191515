// Bytes kept outside a record, loaded when they are asked for.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/value.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace taffrail::python {

/// `bytes` is null until loaded; `run` is where from, null in a sink, which has them loaded.
struct BlobObject {
    BlobRef ref = {};
    std::shared_ptr<const std::vector<std::byte>> bytes = {};
    std::shared_ptr<const RecordedRun> run = {};
};

}  // namespace taffrail::python
