// One sealed file of a stranger: every page, block and series through the reader itself, and the
// run it lies in, whose logs are gone.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "seal/sealed_file.h"
#include "store/layout.h"
#include "turn.h"

namespace {

using namespace taffrail;
using fuzzing::Share;

const std::string kRoot = "memory://fuzz-sealed";
const std::string kRun = kRoot + "/runs/01FUZZ-run";

void read_file(const std::string& url) {
    const auto opened = seal::SealedFile::open(url);
    if (!opened.ok()) {
        return;
    }
    seal::SealedFile& file = **opened;
    file.read_everything();
    for (std::size_t section = 0; section < file.index().sections.size(); ++section) {
        const auto& series = file.index().sections[section].series;
        for (std::size_t number = 0; number < series.size(); ++number) {
            (void)file.points({section, number});
            for (const Axis axis : {Axis::Steps, Axis::WallTime, Axis::Epoch, Axis::Samples}) {
                (void)file.segment({section, number}, axis, 0);
            }
        }
    }
}

}  // namespace

bool taffrail::fuzzing::may_change(std::string_view name) {
    return name.ends_with(".parquet");
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
    for (const auto& file : folder->files) {
        if (fuzzing::may_change(file.name)) {
            read_file(io::join(kRun, file.name));
        }
    }
    if (const auto catalogue = read(kRun); catalogue.ok()) {
        fuzzing::read_everything(**catalogue);
    }
    if (turn.takes(Share::Routes)) {
        fuzzing::ask_every_route(kRoot);
    }
    if (turn.takes(Share::LookingCommands)) {
        fuzzing::call_looking_commands(kRoot);
    }
    if (turn.takes(Share::Copies)) {
        fuzzing::call_copying_commands(kRoot, "memory://fuzz-sealed-scratch");
    }
    return 0;
}
