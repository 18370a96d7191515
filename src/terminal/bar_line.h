// One progress bar as lines of text: pure, so that every width and every number can be tested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::terminal {

struct BarState {
    std::string description = {};
    std::int64_t position = 0;
    std::int64_t initial = 0;  ///< where this process began; the rate counts from here
    std::optional<std::int64_t> total = {};  ///< absent: the length is not known
    double elapsed_seconds = 0;
    std::vector<std::pair<std::string, std::string>> metrics = {};
    std::string unit = "it";
};

struct BarStyle {
    int columns = 80;
    bool utf8 = false;
    bool color = false;
};

/// `Epoch 3:  40%|####      | 40/100 [00:04<00:06, 9.80it/s, loss=0.123]`; metrics that do not fit
/// stand in further, indented lines instead of being cut.
std::vector<std::string> bar_lines(const BarState& state, const BarStyle& style);

/// The same facts without the bar, for files and pipes.
std::string plain_bar_line(const BarState& state);

/// Seconds left, from what was done since `initial`; absent when nothing was, or when the length is
/// not known.
std::optional<double> seconds_left(const BarState& state);

}  // namespace taffrail::terminal
