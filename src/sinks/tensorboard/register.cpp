#include "base/try.h"
#include "record/sink_registry.h"
#include "sinks/tensorboard/sink.h"

namespace taffrail::sinks::tensorboard {
namespace {

Result<std::unique_ptr<Sink>> make(const OptionMap& options) {
    TAFFRAIL_ASSIGN(SinkOptions parsed, parse_options(options));
    return std::unique_ptr<Sink>(std::make_unique<TensorboardSink>(std::move(parsed)));
}

}  // namespace

void register_part() {
    record::sink_registry().add({.name = "tensorboard",
                                 .class_name = "TensorboardWriter",
                                 .summary = "event files for TensorBoard",
                                 .make = make,
                                 .options = sink_options().infos()});
}

}  // namespace taffrail::sinks::tensorboard
