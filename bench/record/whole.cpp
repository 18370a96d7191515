// The whole default path of a run that is logged, finished and sealed: CPU of all threads.
//
//   record_whole log  FOLDER DATA ROWS    open with defaults, log, finish, which seals
//   record_whole seal FOLDER DATA ROWS    sealing alone, of a run that was logged before the clock
//
// DATA holds rows of 20 doubles, the very ones the peers log. Prints one JSON object.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "io/files.h"
#include "store/sealing.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace taffrail;

constexpr std::size_t kWidth = 20;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "record_whole: %s\n", what.c_str());
    std::exit(1);
}

std::vector<double> read_rows(const std::string& path, std::size_t rows) {
    const auto bytes = io::read_file(path);
    if (!bytes.ok() || bytes->size() < rows * kWidth * sizeof(double)) {
        give_up(path + " has too few rows");
    }
    std::vector<double> values(rows * kWidth);
    std::memcpy(values.data(), bytes->data(), values.size() * sizeof(double));
    return values;
}

std::string log_all(RunOptions options, std::span<const double> values) {
    Run run = Run::open(std::move(options)).value();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kWidth; ++i) {
        names.push_back("train/metric_" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    }
    Row row = run.row(std::vector<std::string_view>(names.begin(), names.end()));
    Step step = 0;
    for (std::size_t at = 0; at < values.size(); at += kWidth) {
        row.log(step++, values.subspan(at, kWidth));
    }
    if (const auto finished = run.finish(); !finished.ok()) {
        give_up("finish: " + finished.error().message);
    }
    return run.folder();
}

// What is measured must have happened: sealed, and every point of the last key there.
void check(const std::string& root, const std::string& folder, std::size_t rows) {
    if (!io::exists(io::join(folder, "data"))) {
        give_up(folder + " is not sealed");
    }
    const auto catalogue = read(root).value();
    const auto run = catalogue->run(catalogue->runs()[0].id).value();
    if (run->points("train/metric_19").value().size() != rows) {
        give_up("points are missing");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        give_up("usage: record_whole log|seal FOLDER DATA ROWS");
    }
    const bool sealing_alone = std::strcmp(argv[1], "seal") == 0;
    const auto rows = static_cast<std::size_t>(std::atoll(argv[4]));
    const std::vector<double> values = read_rows(argv[3], rows);
    RunOptions options;
    options.root = argv[2];
    options.seal_on_finish = !sealing_alone;
    double start = cpu_seconds();
    const std::string folder = log_all(options, values);
    if (sealing_alone) {
        start = cpu_seconds();
        if (const auto sealed = store::seal_finished(folder); !sealed.ok()) {
            give_up("seal: " + sealed.error().message);
        }
    }
    const double spent = cpu_seconds() - start;
    check(options.root, folder, rows);
    std::printf("{\"id\": \"whole\", \"points\": %zu, \"cpu_s\": %.9f}\n", rows * kWidth, spent);
    return 0;
}
