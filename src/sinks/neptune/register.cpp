#include "record/sink_registry.h"
#include "sinks/neptune/sink.h"

namespace taffrail::sinks::neptune {

void register_part() {
    record::sink_registry().add(
        {.name = "neptune",
         .class_name = "NeptuneWriter",
         .summary =
             "the operations log of neptune-scale, for `neptune sync` to a server of one's own",
         .make = make,
         .options = schema().infos()});
}

}  // namespace taffrail::sinks::neptune
