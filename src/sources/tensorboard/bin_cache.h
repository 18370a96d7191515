// Pyramids of the series people look at now. Columns stay packed; a chart unpacks its series once.
#pragma once

#include <taffrail/reader.h>

#include "model/series_index.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

class BinCache {
  public:
    /// The index of (key, attempt) at `revision`, made by `make` when it is not at hand. A few long
    /// ones are kept.
    std::shared_ptr<const model::SeriesIndex> get(std::string_view key,
                                                  std::optional<std::uint32_t> attempt,
                                                  std::uint64_t revision,
                                                  const std::function<std::vector<Point>()>& make);

  private:
    struct Item {
        std::string key;
        std::optional<std::uint32_t> attempt;
        std::uint64_t revision = 0;
        std::shared_ptr<const model::SeriesIndex> index;
    };

    static constexpr std::size_t kKept = 4;
    /// Short series are unpacked again within microseconds; a thousand runs of them would fill the
    /// memory.
    static constexpr std::size_t kWorthKeeping = 8192;
    std::mutex mutex_;
    std::list<Item> items_;  ///< newest first
};

}  // namespace taffrail::sources::tensorboard
