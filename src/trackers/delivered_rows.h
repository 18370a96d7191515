// Which records of each writer a tracker has: so that those handed over twice are taken once.
//
// A sink writes, then its runner notes the new place. A process that dies between the two is handed
// the same records again. Records of one writer come in the order of their rows, so the newest row
// and how many of its records were taken tell all of them.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::trackers {

class DeliveredRows {
  public:
    DeliveredRows() = default;
    DeliveredRows(const DeliveredRows&) = delete;
    DeliveredRows& operator=(const DeliveredRows&) = delete;

    /// True for a record that save() knew of before restore(); ask once for each, in order.
    bool seen_before(const Record& record);
    void note(const Record& record);

    /// Gives `take` those of `records` that were not seen before and counts in `delivered` how far
    /// it came; `after` is called behind each. Both may fail: what was counted is not given again.
    template <typename Take, typename After>
    Result<void> hand_over(std::span<const Record> records, std::size_t& delivered, Take&& take,
                           After&& after);

    /// Lines "writer <hex> <seq> <count>", each with its end.
    [[nodiscard]] std::string save() const;
    /// Takes one such line; false for any other.
    bool restore(std::string_view line);

  private:
    struct Position {
        std::uint64_t seq = 0, count = 0;
    };

    std::map<std::uint64_t, Position> delivered_, restored_, again_;
    /// Of the record before: records of one writer come one behind the other.
    std::uint64_t writer_ = 0;
    Position* position_ = nullptr;
};

template <typename Take, typename After>
Result<void> DeliveredRows::hand_over(std::span<const Record> records, std::size_t& delivered,
                                      Take&& take, After&& after) {
    delivered = 0;
    for (const Record& record : records) {
        if (!seen_before(record)) {
            if (auto taken = take(record); !taken.ok()) {
                return taken;
            }
            note(record);
        }
        ++delivered;
        if (auto done = after(); !done.ok()) {
            return done;
        }
    }
    return {};
}

}  // namespace taffrail::trackers
