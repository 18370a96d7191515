#include "record/sink_registry.h"
#include "sinks/csv/sink.h"

namespace taffrail::sinks::csv {

void register_part() {
    record::sink_registry().add({.name = "csv",
                                 .class_name = "CSVLogger",
                                 .summary = "metrics.csv and hparams.yaml in a folder",
                                 .make = make_csv_sink,
                                 .options = csv_options().infos()});
}

}  // namespace taffrail::sinks::csv
