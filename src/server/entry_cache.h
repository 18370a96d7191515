// The entries of keys that were asked for lately: a slider over thousands of images asks for one
// after the other, and reading the key's log for each of them would cost more than the picture.
#pragma once

#include <taffrail/reader.h>

#include "base/lru.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::server {

class EntryCache {
  public:
    using Entries = std::shared_ptr<const std::vector<Entry>>;

    /// At most about `limit` entries are kept, of the keys used last.
    explicit EntryCache(std::size_t limit = 100'000) : kept_(limit) {}

    /// What run.entries(key) gives; kept until the run changes. `id` names the run among all. Safe
    /// from any thread.
    Result<Entries> get(const std::string& id, const RecordedRun& run, const std::string& key);

  private:
    struct Kept {
        std::uint64_t revision = 0;
        Entries entries;
    };

    std::mutex mutex_;
    Lru<std::pair<std::string, std::string>, Kept> kept_;  ///< by run and key
};

}  // namespace taffrail::server
