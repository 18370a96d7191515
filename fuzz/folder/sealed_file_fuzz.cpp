// One sealed file of a stranger: every page, block and series through the reader itself, and the
// run it lies in, whose logs are gone.
#include "document.h"
#include "exercise.h"
#include "io/files.h"
#include "mutate.h"
#include "seal/sealed_file.h"
#include "store/catalogue.h"

namespace {

using namespace taffrail;

const std::string kRun = "memory://fuzz-sealed/runs/01FUZZ-run";

bool is_sealed(std::string_view name) {
    return name.ends_with(".parquet");
}

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

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    return fuzzing::mutate_serialised(data, size, max_size, seed, is_sealed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto folder = fuzzing::parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return -1;
    }
    (void)io::remove_tree(kRun);
    fuzzing::put_together(*folder, kRun);
    for (const auto& file : folder->files) {
        if (is_sealed(file.name)) {
            read_file(io::join(kRun, file.name));
        }
    }
    if (const auto catalogue = storage::open_catalogue(kRun); catalogue.ok()) {
        fuzzing::read_everything(**catalogue, "memory://fuzz-sealed-scratch");
    }
    (void)io::remove_tree("memory://fuzz-sealed-scratch");
    return 0;
}
