// Pyramids of the series people look at now, for sources that keep points in a form of their own: a
// chart unpacks its series once, and a zoom finds it done.
#pragma once

#include <taffrail/reader.h>

#include "model/series_index.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::model {

/// Safe from any thread.
class KeptBins {
  public:
    using Make = std::function<std::vector<Point>()>;

    /// Keeps `most` series. Those of fewer points than `worth_keeping` are unpacked again, which
    /// takes microseconds, where a thousand runs of them would fill the memory.
    KeptBins(std::size_t most, std::size_t worth_keeping)
        : most_(most), worth_keeping_(worth_keeping) {}

    /// The index of (key, attempt) at `revision`, made of the points of `make` when it is not at
    /// hand.
    std::shared_ptr<const SeriesIndex> get(std::string_view key,
                                           std::optional<std::uint32_t> attempt,
                                           std::uint64_t revision, const Make& make);

  private:
    struct Item {
        std::string key;
        std::optional<std::uint32_t> attempt;
        std::uint64_t revision = 0;
        std::shared_ptr<const SeriesIndex> index;
    };

    const std::size_t most_, worth_keeping_;
    std::mutex mutex_;
    std::list<Item> items_;  ///< newest first
};

/// Bins of `points` at the values that another series had beside them. Nothing of it is kept.
Result<Bins> bins_along_metric(std::span<const Point> points, std::span<const Point> metric,
                               const BinRequest& request);

}  // namespace taffrail::model
