#include "sources/tensorboard/catalogue.h"

namespace taffrail {

void register_tensorboard_source() {
    register_source(
        {.name = "tensorboard",
         .summary = "TensorBoard logdirs: event files of any writer, old and new",
         .recognise =
             [](const std::string& path) { return tensorboard::holds_event_files(path) ? 80 : 0; },
         .open = tensorboard::open_logdir});
}

}  // namespace taffrail
