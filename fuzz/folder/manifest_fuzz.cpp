// A stranger's manifest, and the commands that delete and write by it: nothing outside the run's
// own folder may change.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "outside.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_check.h"
#include "store/sealing.h"

namespace {

using namespace taffrail;

const std::string kRoot = "memory://fuzz-manifest";
const std::string kRun = kRoot + "/runs/01FUZZ-run";

}  // namespace

bool taffrail::fuzzing::may_change(std::string_view name) {
    return name.starts_with("manifest-");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return -1;
    }
    (void)io::remove_tree(kRoot);
    (void)store::make_root(kRoot);
    fuzzing::put_together(*folder, kRun);
    const fuzzing::Outside outside(kRoot);
    if (const auto catalogue = read(kRun); catalogue.ok()) {
        for (const RunInfo& info : (*catalogue)->runs(true)) {
            if (const auto run = (*catalogue)->run(info.id); run.ok()) {
                (void)(*run)->keys();
                (void)(*run)->damage();
            }
        }
    }
    (void)store::read_manifest(kRun);
    (void)store::check_run_files(kRun);
    (void)store::seal_finished(kRun);
    (void)store::reseal_damaged(kRun);
    (void)store::drop_sealed_logs(kRun, std::chrono::nanoseconds(0));
    fuzzing::call_changing_commands(kRoot);
    outside.must_be_untouched();
    return 0;
}
