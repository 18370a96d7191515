// A whole run folder of a stranger, through everything a command or the dashboard does with one:
// read, asked, exported, imported, verified, sealed, its logs dropped, read again, removed.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "outside.h"
#include "store/layout.h"
#include "store/sealing.h"
#include "turn.h"

namespace {

using namespace taffrail;
using fuzzing::Share;

const std::string kRoot = "memory://fuzz-root";
const std::string kRun = kRoot + "/runs/01FUZZ-run";

void read_run() {
    if (const auto catalogue = read(kRun); catalogue.ok()) {
        fuzzing::read_everything(**catalogue);
    }
}

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
    (void)io::remove_tree(kRoot);
    (void)store::make_root(kRoot);
    fuzzing::put_together(*folder, kRun);
    const fuzzing::Outside outside(kRoot);
    read_run();
    if (turn.takes(Share::Routes)) {
        fuzzing::ask_every_route(kRoot);
    }
    if (turn.takes(Share::LookingCommands)) {
        fuzzing::call_looking_commands(kRoot);
    }
    if (turn.takes(Share::Copies)) {
        fuzzing::call_copying_commands(kRoot, "memory://fuzz-scratch");
    }
    if (turn.takes(Share::Changes)) {
        (void)store::seal_finished(kRun);
        (void)store::reseal_damaged(kRun);
        (void)store::drop_sealed_logs(kRun, std::chrono::nanoseconds(0));
        read_run();
        fuzzing::call_changing_commands(kRoot);
    }
    outside.must_be_untouched();
    return 0;
}
