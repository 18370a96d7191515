// Which ranks of a distributed run logged a key. Runs do not keep that apart, so the points are
// looked at once, and again when there are twice as many.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::query {

struct RunDetails;
class RunSet;

class RankIndex {
  public:
    /// Rising; empty when fewer than two did. Safe from any thread.
    std::vector<std::int32_t> of(const RunSet& runs, const RunDetails& run, const KeyInfo& key);

  private:
    struct Known {
        std::uint64_t points = 0;  ///< that the key had when they were looked at
        std::vector<std::int32_t> ranks;
    };

    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, Known> known_;  ///< by run and key
};

}  // namespace taffrail::query
