#include "record/sink_registry.h"
#include "sinks/wandb/sink.h"

namespace taffrail::sinks::wandb {

void register_part() {
    record::sink_registry().add(
        {.name = "wandb",
         .class_name = "WandbWriter",
         .summary = "runs of Weights & Biases: online, or run folders for `wandb sync`",
         .make = make,
         .options = schema().infos()});
}

}  // namespace taffrail::sinks::wandb
