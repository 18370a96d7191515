// How wide text is on a terminal, and cutting it there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace taffrail::terminal {

/// Columns `text` takes: escape sequences none, wide characters and emoji two, combining marks
/// none.
std::size_t display_width(std::string_view text) noexcept;

/// `text` cut to at most `columns`, without splitting a character; escape sequences after the cut
/// are kept, so that colours are switched off.
std::string cut_to_width(std::string_view text, std::size_t columns);

/// Filled with spaces to `columns`; longer text stays as it is.
std::string pad_to_width(std::string_view text, std::size_t columns);

/// Control characters other than newline and tab made visible as `?`: a metric's name must not move
/// the cursor.
std::string without_controls(std::string_view text);

/// Escape sequences (colours, cursor movements) taken out: for what does not go to a terminal.
std::string without_escapes(std::string_view text);

}  // namespace taffrail::terminal
