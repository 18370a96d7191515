#include "record/sink_registry.h"
#include "sinks/mlflow/sink.h"

namespace taffrail::sinks::mlflow {

void register_part() {
    record::sink_registry().add({.name = "mlflow",
                                 .class_name = "MlflowWriter",
                                 .summary = "runs of an MLflow tracking server, over HTTP",
                                 .make = make,
                                 .options = schema().infos()});
}

}  // namespace taffrail::sinks::mlflow
