// A chart of characters: braille dots with the colours of the page, or plain letters.
#pragma once

#include "plot/chart.h"

#include <cstddef>
#include <string>

namespace taffrail::plot {

struct TerminalLooks {
    std::size_t columns = 80, rows = 16;
    bool color = false;  ///< 24-bit colours
    bool utf8 = true;    ///< braille; else letters
    Theme theme = Theme::Dark;
};

/// Lines that end with a newline: title, plot with axes, legend. Names are the caller's to make
/// harmless.
std::string to_terminal(const Chart& chart, const TerminalLooks& looks);

}  // namespace taffrail::plot
