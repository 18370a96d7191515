#include "record/sink_registry.h"
#include "sinks/comet/sink.h"

namespace taffrail::sinks::comet {

void register_part() {
    record::sink_registry().add({.name = "comet",
                                 .class_name = "CometWriter",
                                 .summary = "offline archives of Comet, for `comet upload`",
                                 .make = make,
                                 .options = schema().infos()});
}

}  // namespace taffrail::sinks::comet
