#include "base/try.h"
#include "model/source_registry.h"
#include "sources/tensorboard/catalogue.h"

namespace taffrail::sources::tensorboard {
namespace {

const OptionSchema<LoadOptions>& options() {
    static const auto schema =
        OptionSchema<LoadOptions>("tensorboard")
            .add("threads", &LoadOptions::threads, "threads that read; 0 = one per core",
                 {.least = 0})
            .add("segment_bytes", &LoadOptions::segment_bytes,
                 "large files are read in pieces of about this size", {.least = 4096});
    return schema;
}

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    TAFFRAIL_ASSIGN(const LoadOptions how, options().parse(given));
    return open_logdir(path, how);
}

}  // namespace

void register_part() {
    model::source_registry().add(
        {.name = "tensorboard",
         .summary = "TensorBoard logdirs: event files of any writer, old and new",
         .recognise = [](const std::string& path) { return holds_event_files(path) ? 80 : 0; },
         .open = open,
         .options = options().infos()});
}

}  // namespace taffrail::sources::tensorboard
