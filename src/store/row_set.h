// Row numbers of a writer that were seen, as few intervals.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace taffrail::store {

class RowSet {
  public:
    [[nodiscard]] bool contains(std::uint64_t row) const noexcept { return touches(row, row); }

    /// True when any of first … last was seen.
    [[nodiscard]] bool touches(std::uint64_t first, std::uint64_t last) const noexcept {
        const auto after = intervals_.upper_bound(last);
        return after != intervals_.begin() && std::prev(after)->second >= first;
    }

    /// Adds first … last and joins what overlaps or follows directly.
    void insert(std::uint64_t first, std::uint64_t last) {
        auto at = intervals_.upper_bound(first);
        if (at != intervals_.begin()) {
            const auto before = std::prev(at);
            if (before->second >= first || before->second + 1 == first) {
                first = before->first;
                last = last > before->second ? last : before->second;
                at = intervals_.erase(before);
            }
        }
        while (at != intervals_.end() && (at->first <= last || at->first == last + 1)) {
            last = last > at->second ? last : at->second;
            at = intervals_.erase(at);
        }
        intervals_.emplace_hint(at, first, last);
    }

  private:
    std::map<std::uint64_t, std::uint64_t> intervals_;  ///< first → last
};

}  // namespace taffrail::store
