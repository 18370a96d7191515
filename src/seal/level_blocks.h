// Blocks of pyramid nodes as they stand in a sealed file: columns of numbers, zstd, at most 8192
// nodes each.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::seal {

/// min, max, sum and last of the nodes of a block; all spans equally long.
struct ValueNodes {
    std::span<const double> min, max, sum, last;
};

struct ValueNodesOut {
    std::span<double> min, max, sum, last;
};

Bytes encode_value_nodes(const ValueNodes& nodes);
[[nodiscard]] bool decode_value_nodes(ByteSpan bytes, const ValueNodesOut& nodes);

/// Positions of the first and last point of the nodes of a block.
Bytes encode_axis_nodes(std::span<const std::int64_t> first, std::span<const std::int64_t> last);
Bytes encode_axis_nodes(std::span<const double> first, std::span<const double> last);
[[nodiscard]] bool decode_axis_nodes(ByteSpan bytes, std::span<std::int64_t> first,
                                     std::span<std::int64_t> last);
[[nodiscard]] bool decode_axis_nodes(ByteSpan bytes, std::span<double> first,
                                     std::span<double> last);

}  // namespace taffrail::seal
