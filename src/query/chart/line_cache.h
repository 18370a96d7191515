// The points of lines that were asked for a moment ago: whoever drags a smoothing slider, zooms a
// grouped chart or moves over an expression asks for the same ones many times a second, and
// fetching them from a run costs several times what is done with them then.
#pragma once

#include <taffrail/reader.h>

#include "base/lru.h"
#include "base/unwritten_vector.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::query {

/// One attempt's points of a series on an axis, in x order.
struct AxisLine {
    UnwrittenVector<double> x, y;
    std::uint32_t attempt = 0;
    bool current = false;   ///< what counts; false for points that a later attempt logged again
    double last_value = 0;  ///< NaN without points
};

using AxisLines = std::shared_ptr<const std::vector<AxisLine>>;

class LineCache {
  public:
    using Clock = std::chrono::steady_clock;

    /// Holds at most about `limit_bytes`, of the lines used last.
    explicit LineCache(std::size_t limit_bytes = 256u << 20) : lines_(limit_bytes) {}

    /// Null when nothing is kept under this name for this revision of its run. Safe from any
    /// thread, as is everything here.
    AxisLines find(const std::string& name, std::uint64_t revision, Clock::time_point now);
    void keep(const std::string& name, std::uint64_t revision, AxisLines lines,
              Clock::time_point now);
    /// Lets go of what nobody used since `time`: the memory is for a hand on a slider, not for a
    /// page left open.
    void forget_unused_since(Clock::time_point time);

    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Kept {
        std::uint64_t revision = 0;
        AxisLines lines;
        Clock::time_point used;
    };

    mutable std::mutex mutex_;
    Lru<std::string, Kept> lines_;
};

}  // namespace taffrail::query
