// What a flame graph shows: boxes with a place, a width and a name. Drawing is svg.h's work.
#pragma once

#include "profile/format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::profile {

struct FlameOptions {
    std::string title = {};
    std::string value = {};         ///< value type by name or unit
    double min_share = 0.1 / 1200;  ///< narrower boxes are left out
    std::uint32_t max_depth = 512;
    bool by_thread = false;
    bool is_icicle = false;  ///< roots at the top
};

struct FlameBox {
    double begin = 0, share = 0;  ///< of the whole, 0 … 1
    double delta = 0;             ///< share now minus share before; of comparisons
    double value = 0;
    std::uint32_t depth = 0;
    TextId title = 0;
};

struct FlameLayout {
    std::string title, unit;
    double total = 0, total_before = 0;
    std::uint32_t depth = 0;
    bool is_comparison = false;
    std::uint64_t left_out = 0;  ///< boxes too narrow or too deep to be seen
    Texts texts;
    std::vector<FlameBox> boxes;  ///< outer before inner
};

/// Boxes of one profile; siblings in alphabetical order, so that two pictures compare.
Result<FlameLayout> lay_out_flame(Profile& profile, const FlameOptions& options);
/// `after` drawn by its own widths, coloured by the change of each share since `before`.
Result<FlameLayout> lay_out_comparison(Profile& before, Profile& after,
                                       const FlameOptions& options);

}  // namespace taffrail::profile
