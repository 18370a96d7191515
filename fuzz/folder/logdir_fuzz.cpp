// A whole TensorBoard logdir of a stranger: event files with every plugin's values, traces,
// projector files, through the reader, every route, the exports, an import and a repair.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "sources/tensorboard/repair.h"
#include "turn.h"

namespace {

using namespace taffrail;
using fuzzing::Share;

const std::string kLogdir = "memory://fuzz-logdir";
const std::string kRepaired = "memory://fuzz-logdir-repaired";

}  // namespace

bool taffrail::fuzzing::may_change(std::string_view) {
    return true;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return -1;
    }
    const fuzzing::Turn turn(data, size);
    (void)io::remove_tree(kLogdir);
    fuzzing::put_together(*folder, kLogdir);
    if (const auto catalogue = read(kLogdir); catalogue.ok()) {
        fuzzing::read_everything(**catalogue);
    }
    if (turn.takes(Share::Routes)) {
        fuzzing::ask_every_route(kLogdir);
    }
    if (turn.takes(Share::LookingCommands)) {
        fuzzing::call_looking_commands(kLogdir);
    }
    if (turn.takes(Share::Copies)) {
        fuzzing::call_copying_commands(kLogdir, "memory://fuzz-logdir-scratch");
    }
    if (turn.takes(Share::Changes)) {
        (void)sources::tensorboard::repair_logdir(kLogdir, kRepaired);
        (void)io::remove_tree(kRepaired);
    }
    return 0;
}
