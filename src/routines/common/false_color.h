// Grey levels in false colours, dark to bright through violet and orange.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::routines {

/// Three bytes RGB per level; brightness rises with the level, so that the picture also reads in
/// grey.
inline std::vector<std::uint8_t> false_color(std::span<const std::uint8_t> levels) {
    constexpr std::array<std::array<float, 3>, 9> kStops = {{{0, 0, 4},
                                                             {28, 16, 68},
                                                             {79, 18, 123},
                                                             {129, 37, 129},
                                                             {181, 54, 122},
                                                             {229, 80, 100},
                                                             {251, 135, 97},
                                                             {254, 194, 135},
                                                             {252, 253, 191}}};
    std::vector<std::uint8_t> colors;
    colors.reserve(levels.size() * 3);
    for (const std::uint8_t level : levels) {
        const float place = static_cast<float>(level) / 255 * static_cast<float>(kStops.size() - 1);
        const auto below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
        const float share = place - static_cast<float>(below);
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const float value =
                kStops[below][channel] * (1 - share) + kStops[below + 1][channel] * share;
            colors.push_back(static_cast<std::uint8_t>(std::lround(value)));
        }
    }
    return colors;
}

}  // namespace taffrail::routines
