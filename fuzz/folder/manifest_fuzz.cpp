// A stranger's manifest, and the commands that delete and write by it: nothing outside the run's
// own folder may change.
#include "document.h"
#include "io/files.h"
#include "mutate.h"
#include "store/catalogue.h"
#include "store/manifest.h"
#include "store/run_check.h"
#include "store/sealing.h"

#include <cstdlib>

namespace {

using namespace taffrail;

const std::string kRoot = "memory://fuzz-manifest";
const std::string kRun = kRoot + "/runs/01FUZZ-run";
const std::string kOutside[] = {kRoot + "/outside", kRoot + "/runs/outside", kRoot + "/key.txt"};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return fuzzing::mutate_serialised(data, size, max_size, seed, [](std::string_view name) {
        return name.starts_with("manifest-");
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return -1;
    }
    (void)io::remove_tree(kRoot);
    (void)io::make_directories(kRun);
    fuzzing::put_together(*folder, kRun);
    for (const std::string& path : kOutside) {
        (void)io::write_file_atomically(path, as_bytes("mine"), false);
    }
    (void)storage::read_manifest(kRun);
    (void)storage::check_run_files(kRun);
    (void)storage::seal_finished(kRun);
    (void)storage::reseal_damaged(kRun);
    (void)storage::drop_sealed_logs(kRun, std::chrono::nanoseconds(0));
    for (const std::string& path : kOutside) {
        if (const auto text = io::read_text(path); !text.ok() || *text != "mine") {
            std::abort();
        }
    }
    if (const auto catalogue = storage::open_catalogue(kRun); catalogue.ok()) {
        for (const RunInfo& info : (*catalogue)->runs(true)) {
            if (const auto run = (*catalogue)->run(info.id); run.ok()) {
                (void)(*run)->keys();
                (void)(*run)->damage();
            }
        }
    }
    return 0;
}
