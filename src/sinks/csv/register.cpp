#include "sinks/csv/sink.h"

namespace taffrail {

void register_csv_sink() {
    register_sink({.name = "csv",
                   .class_name = "CSVLogger",
                   .summary = "metrics.csv and hparams.yaml in a folder",
                   .make = make_csv_sink});
}

}  // namespace taffrail
