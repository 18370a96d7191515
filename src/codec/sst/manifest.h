// Which table files make up a folder of RocksDB, by the log of changes that it calls MANIFEST.
//
// Only what its default options write is known: one column family, no blob files. Whoever gets
// nothing back asks RocksDB itself, which knows the rest and can say what is wrong.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace taffrail::sst {

struct TableFile {
    std::uint64_t number = 0;  ///< its name is "%06d.sst"
    std::uint64_t size = 0;
    std::uint64_t largest_sequence = 0;

    bool operator==(const TableFile&) const = default;
};

/// Nothing for bytes that are damaged or tell of something unknown. A change that is just being
/// appended does not count yet. By number.
std::optional<std::vector<TableFile>> read_manifest(ByteSpan manifest);

}  // namespace taffrail::sst
