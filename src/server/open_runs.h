// The runs that are open, within one memory budget: those used last stay, the others are opened
// again when somebody looks at them.
#pragma once

#include <taffrail/reader.h>

#include "base/lru.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::server {

/// Safe from any thread. A run in use lives as long as whoever uses it, also when it is let go
/// here.
class OpenRuns {
  public:
    explicit OpenRuns(std::size_t limit_bytes) : runs_(limit_bytes) {}

    /// Counts as a use; null when it is not open.
    [[nodiscard]] std::shared_ptr<RecordedRun> find(const std::string& id);
    void keep(const std::string& id, std::shared_ptr<RecordedRun> run, std::size_t bytes);
    void drop(const std::string& id);

    /// By their estimates.
    [[nodiscard]] std::size_t bytes() const;

    /// What an open run with these keys may take at most, as far as that can be told from outside:
    /// its columns, once somebody asked for its points.
    [[nodiscard]] static std::size_t estimate(const std::vector<KeyInfo>& keys);

  private:
    mutable std::mutex mutex_;
    Lru<std::string, std::shared_ptr<RecordedRun>> runs_;
};

}  // namespace taffrail::server
