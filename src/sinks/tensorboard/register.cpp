#include "base/try.h"
#include "sinks/tensorboard/sink.h"

namespace taffrail {

void register_tensorboard_sink() {
    register_sink({.name = "tensorboard",
                   .class_name = "TensorboardWriter",
                   .summary = "event files for TensorBoard",
                   .make = [](const OptionMap& options) -> Result<std::unique_ptr<Sink>> {
                       TAFFRAIL_ASSIGN(tensorboard::SinkOptions parsed,
                                       tensorboard::parse_options(options));
                       return std::unique_ptr<Sink>(
                           std::make_unique<tensorboard::TensorboardSink>(std::move(parsed)));
                   }});
}

}  // namespace taffrail
