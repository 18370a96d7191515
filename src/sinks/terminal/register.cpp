#include "record/sink_registry.h"
#include "sinks/terminal/sink.h"

namespace taffrail::sinks::terminal {

void register_part() {
    record::sink_registry().add(
        {.name = "terminal",
         .class_name = "LocalWriter",
         .summary = "a table of statistics on the terminal, pictures as PNG files",
         .make = make_terminal_sink,
         .options = terminal_options().infos()});
}

}  // namespace taffrail::sinks::terminal
