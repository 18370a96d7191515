#include "sinks/terminal/sink.h"

namespace taffrail {

void register_terminal_sink() {
    register_sink({.name = "terminal",
                   .class_name = "LocalWriter",
                   .summary = "a table of statistics on the terminal, pictures as PNG files",
                   .make = make_terminal_sink});
}

}  // namespace taffrail
