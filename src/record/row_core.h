// What a bound handle points at: the schema of a row, resolved once. Never moves and never goes
// away, so a handle that outlives its run is harmless.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::record {
class Recorder;
}

namespace taffrail::detail {

class RowCore {
  public:
    record::Recorder* recorder = nullptr;
    std::uint32_t schema = 0;
    std::uint32_t width = 0;          ///< values in this entry
    RowCore* continuation = nullptr;  ///< the rest of a row that is too wide for one entry
    std::uint64_t hash = 0;           ///< of the names, of all parts
    std::vector<std::uint32_t> keys;  ///< of this part
    std::vector<std::string> names;   ///< of all parts; only in the first
};

}  // namespace taffrail::detail
