// Pyramid levels of a sealed series in memory, filled block by block as queries touch them.
//
// The arrays are as long as their level, but memory that no block was decoded into is never
// touched, so it costs nothing.
#pragma once

#include <taffrail/result.h>

#include "base/try.h"
#include "model/pyramid.h"
#include "seal/index.h"
#include "seal/level_blocks.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace taffrail::seal {

/// Reads the bytes of a block.
using ReadBlock = std::function<Result<Bytes>(const BlockPlace&)>;

/// Columns of every level with a mark for each block. `Columns` holds the arrays of one level.
template <typename Columns>
class LazyLevels {
  public:
    LazyLevels(const LevelBlocks& places, std::uint64_t rows) : places_(places) {
        for (unsigned level = 0; level < places.size(); ++level) {
            const std::uint64_t nodes = rows / model::node_points(level);
            levels_.push_back({nodes, Columns(nodes),
                               std::make_unique<std::atomic<bool>[]>(places[level].size())});
        }
    }

    [[nodiscard]] unsigned count() const noexcept { return static_cast<unsigned>(levels_.size()); }

    [[nodiscard]] std::uint64_t nodes(unsigned level) const noexcept {
        return levels_[level].nodes;
    }

    /// Only nodes that ensure() was called for may be read.
    [[nodiscard]] const Columns& columns(unsigned level) const noexcept {
        return levels_[level].columns;
    }

    /// Makes the nodes [first, last) readable.
    Result<void> ensure(unsigned level, std::uint64_t first, std::uint64_t last,
                        const ReadBlock& read) {
        for (std::uint64_t block = first / kBlockNodes; block * kBlockNodes < last; ++block) {
            if (!levels_[level].loaded[block].load(std::memory_order_acquire)) {
                TAFFRAIL_TRY(load(level, block, read));
            }
        }
        return {};
    }

  private:
    struct Level {
        std::uint64_t nodes;
        Columns columns;
        std::unique_ptr<std::atomic<bool>[]> loaded;
    };

    Result<void> load(unsigned level, std::uint64_t block, const ReadBlock& read) {
        const std::lock_guard lock(mutex_);
        Level& to = levels_[level];
        if (to.loaded[block].load(std::memory_order_relaxed)) {
            return {};
        }
        TAFFRAIL_ASSIGN(const Bytes bytes, read(places_[level][block]));
        const std::uint64_t first = block * kBlockNodes;
        if (!to.columns.decode(bytes, first, std::min(kBlockNodes, to.nodes - first))) {
            return Error{ErrorCode::Corrupt, "a block of a sealed file's pyramid does not unpack"};
        }
        to.loaded[block].store(true, std::memory_order_release);
        return {};
    }

    const LevelBlocks& places_;
    std::vector<Level> levels_;
    std::mutex mutex_;
};

struct ValueColumns {
    explicit ValueColumns(std::uint64_t nodes)
        : min(std::make_unique_for_overwrite<double[]>(nodes)),
          max(std::make_unique_for_overwrite<double[]>(nodes)),
          sum(std::make_unique_for_overwrite<double[]>(nodes)),
          last(std::make_unique_for_overwrite<double[]>(nodes)) {}

    bool decode(ByteSpan bytes, std::uint64_t first, std::uint64_t count) {
        return decode_value_nodes(bytes, {{min.get() + first, count},
                                          {max.get() + first, count},
                                          {sum.get() + first, count},
                                          {last.get() + first, count}});
    }

    std::unique_ptr<double[]> min, max, sum, last;
};

template <typename T>
struct AxisColumns {
    explicit AxisColumns(std::uint64_t nodes)
        : first(std::make_unique_for_overwrite<T[]>(nodes)),
          last(std::make_unique_for_overwrite<T[]>(nodes)) {}

    bool decode(ByteSpan bytes, std::uint64_t start, std::uint64_t count) {
        return decode_axis_nodes(bytes, std::span<T>(first.get() + start, count),
                                 std::span<T>(last.get() + start, count));
    }

    std::unique_ptr<T[]> first, last;
};

using ValueLevels = LazyLevels<ValueColumns>;
template <typename T>
using AxisLevels = LazyLevels<AxisColumns<T>>;

}  // namespace taffrail::seal
