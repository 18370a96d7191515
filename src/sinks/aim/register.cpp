#include "record/sink_registry.h"
#include "sinks/aim/sink.h"

namespace taffrail::sinks::aim {

void register_part() {
    record::sink_registry().add(
        {.name = "aim",
         .class_name = "AimWriter",
         .summary = "repositories of Aim, shown by `aim up` (needs RocksDB)",
         .make = make,
         .options = schema().infos()});
}

}  // namespace taffrail::sinks::aim
