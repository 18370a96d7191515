// Which records of each writer a tracker has: so that those handed over twice are taken once.
//
// A sink writes, then its runner notes the new place. A process that dies between the two is handed
// the same records again. Records of one writer come in the order of their rows, so the newest row
// and how many of its records were taken tell all of them.
#pragma once

#include <taffrail/record.h>

#include <cstdint>
#include <map>
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

}  // namespace taffrail::trackers
