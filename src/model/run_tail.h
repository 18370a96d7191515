// The newest records out of many: what every tail keeps.
#pragma once

#include <taffrail/reader.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace taffrail::model {

/// Takes records in any order and gives them back by time, each once, at most the newest `count`.
class NewestRecords {
  public:
    explicit NewestRecords(std::size_t count) : count_(count) {}

    void add(const Record& record);

    /// True when there are `count` and a record of this time is older than all of them.
    [[nodiscard]] bool is_too_old(std::int64_t time_ns) const noexcept {
        return count_ == 0 || (kept_.size() >= count_ && time_ns < kept_.begin()->time_ns);
    }

    [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }

    /// Hands everything over and forgets it.
    void give(const std::function<void(const Record&)>& visit);

  private:
    struct Kept {
        std::int64_t time_ns = 0;
        std::uint64_t writer = 0, seq = 0;
        std::string key;
        Record record;

        bool operator<(const Kept& other) const {
            return std::tie(time_ns, writer, seq, key) <
                   std::tie(other.time_ns, other.writer, other.seq, other.key);
        }
    };

    std::size_t count_;
    std::set<Kept> kept_;
};

}  // namespace taffrail::model
