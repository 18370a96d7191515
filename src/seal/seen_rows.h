// Which rows of a writer were taken in already. A writer that had to leave a file behind writes its
// last rows again into the next one; (writer, row number) tells them apart.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace taffrail::seal {

class SeenRows {
  public:
    [[nodiscard]] bool contains(std::uint64_t seq) const {
        const auto after = ranges_.upper_bound(seq);
        return after != ranges_.begin() && seq < std::prev(after)->second;
    }

    /// True when nothing in [first, end) was seen: the usual case, asked once for a frame.
    [[nodiscard]] bool is_new(std::uint64_t first, std::uint64_t end) const {
        const auto after = ranges_.lower_bound(end);
        return after == ranges_.begin() || std::prev(after)->second <= first;
    }

    void add(std::uint64_t first, std::uint64_t end) {
        auto at = ranges_.upper_bound(first);
        if (at != ranges_.begin() && std::prev(at)->second >= first) {
            --at;
            first = at->first;
            end = std::max(end, at->second);
            at = ranges_.erase(at);
        }
        while (at != ranges_.end() && at->first <= end) {
            end = std::max(end, at->second);
            at = ranges_.erase(at);
        }
        ranges_.emplace(first, end);
    }

  private:
    std::map<std::uint64_t, std::uint64_t> ranges_;  ///< first → end
};

}  // namespace taffrail::seal
