// A whole TensorBoard logdir of a stranger: event files with every plugin's values, traces,
// projector files, through the reader, the exports, an import and every route.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "sources/tensorboard/catalogue.h"

namespace {

using namespace taffrail;

const std::string kLogdir = "memory://fuzz-logdir";

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return fuzzing::mutate_serialised(data, size, max_size, seed,
                                      [](std::string_view) { return true; });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool registered = (register_tensorboard_source(), true);
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder || !registered) {
        return -1;
    }
    (void)io::remove_tree(kLogdir);
    fuzzing::put_together(*folder, kLogdir);
    if (const auto catalogue = tensorboard::open_logdir(kLogdir); catalogue.ok()) {
        fuzzing::read_everything(**catalogue, "memory://fuzz-logdir-scratch");
    }
    fuzzing::ask_every_route(kLogdir);
    (void)io::remove_tree("memory://fuzz-logdir-scratch");
    return 0;
}
