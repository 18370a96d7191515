// A whole run folder of a stranger, through everything a command or the dashboard does with one:
// read, asked, verified, sealed, its logs dropped, read again.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "store/catalogue.h"
#include "store/run_check.h"
#include "store/sealing.h"

namespace {

using namespace taffrail;

const std::string kRoot = "memory://fuzz-root";
const std::string kRun = kRoot + "/runs/01FUZZ-run";
const std::string kScratch = "memory://fuzz-scratch";

void read_run() {
    if (const auto catalogue = storage::open_catalogue(kRun); catalogue.ok()) {
        fuzzing::read_everything(**catalogue, kScratch);
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return fuzzing::mutate_serialised(data, size, max_size, seed,
                                      [](std::string_view) { return true; });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return -1;
    }
    (void)io::remove_tree(kRoot);
    (void)io::remove_tree(kScratch);
    (void)storage::make_root(kRoot);
    fuzzing::put_together(*folder, kRun);
    read_run();
    fuzzing::ask_every_route(kRoot);
    (void)storage::check_run_files(kRun);
    (void)storage::seal_finished(kRun);
    (void)storage::reseal_damaged(kRun);
    (void)storage::drop_sealed_logs(kRun, std::chrono::nanoseconds(0));
    read_run();
    return 0;
}
