// What a bound handle points at: the schema of a row, resolved once. Never moves, and one that was
// handed out never goes away, so a handle that outlives its run is harmless.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::record {
class Recorder;
}

namespace taffrail::detail {

class RowCore {
  public:
    /// Another one, closed for good, once the run of this row is gone.
    std::atomic<record::Recorder*> recorder = nullptr;
    std::uint32_t schema = 0;
    std::uint32_t width = 0;              ///< values in this entry
    RowCore* continuation = nullptr;      ///< the rest of a row that is too wide for one entry
    std::uint32_t total_width = 0;        ///< of all parts; only in the first
    std::atomic<bool> is_handle = false;  ///< somebody may hold a pointer to it; only in the first

    /// What finds the row; gone with the run. Only in the first part.
    struct Names {
        std::uint64_t hash = 0;
        std::vector<std::string> names;  ///< of all parts
    };

    std::unique_ptr<Names> names;

    /// The recorder to log to; one load. Acquired: the one that takes over may be younger than the
    /// row.
    [[nodiscard]] record::Recorder& target() const noexcept {
        return *recorder.load(std::memory_order_acquire);
    }
};

}  // namespace taffrail::detail
