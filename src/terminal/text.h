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

/// The one function for every text that comes from a run and is shown on a terminal: control
/// characters other than newline and tab, and those that turn the direction of writing, are written
/// out (`\x1b`, `\u202e`). A name must not move the cursor, set a title or hide what follows.
std::string without_controls(std::string_view text);

/// Colours stay, every other escape sequence is taken out, and a colour that was left on is
/// switched off: for the captured output of a program.
std::string with_colors_only(std::string_view text);

/// At most `columns` wide: the middle of longer text is left out, its beginning and end tell more.
/// For text without escape sequences.
std::string cut_middle(std::string_view text, std::size_t columns);

/// Escape sequences (colours, cursor movements) taken out: for what does not go to a terminal.
std::string without_escapes(std::string_view text);

}  // namespace taffrail::terminal
