// What kind of terminal is there, if any.
#pragma once

namespace taffrail::terminal {

struct Size {
    int columns = 80;
    int rows = 24;
};

/// `fd` is a terminal that understands cursor movement (not TERM=dumb), in the foreground or not.
bool is_interactive(int fd) noexcept;
/// Colour is welcome: an interactive terminal without NO_COLOR.
bool wants_color(int fd) noexcept;
/// COLUMNS and LINES stand in where the terminal does not say.
Size size_of_terminal(int fd) noexcept;
/// The locale says UTF-8; otherwise bars are drawn with ASCII.
bool is_utf8() noexcept;
/// A debugger (not strace) holds this process. Costs one read of /proc; call it at most ten times a
/// second.
bool debugger_attached() noexcept;

}  // namespace taffrail::terminal
