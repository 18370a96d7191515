// A run with a tracker attached: what it costs the loop, what it costs altogether, and how fast the
// tracker's own folders are read.
//
//   tracker_bench write SINK WHERE FOLDER ROWS   open, log rows of 20 values, finish: CPU of all
//   threads tracker_bench caller SINK WHERE FOLDER       the log call alone, beside the sink
//   tracker_bench open SINK WHERE FOLDER         open, one row, finish
//   tracker_bench read FOLDER                    every point of every key
//
// WHERE is the option that says where the tracker's data go, as NAME=VALUE. Prints one JSON object.
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
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
    std::fprintf(stderr, "tracker_bench: %s\n", what.c_str());
    std::exit(1);
}

/// What is attached, and where its data go.
struct Attached {
    std::string sink, option, value;
};

Attached attached(const std::string& sink, const std::string& where) {
    const std::size_t sign = where.find('=');
    if (sign == std::string::npos) {
        give_up("'" + where + "' is not NAME=VALUE");
    }
    return {sink, where.substr(0, sign), where.substr(sign + 1)};
}

Run open_run(const Attached& tracker, const std::string& folder) {
    RunOptions options;
    options.root = folder + "/root";
    options.machine_load.reset();
    options.environment = false;
    // A server is measured by how fast it takes everything, not by how much within the usual bound.
    options.finish_timeout = std::chrono::minutes(5);
    Run run = Run::open(std::move(options)).value();
    if (const auto added = run.add_sink(tracker.sink, {{tracker.option, tracker.value}});
        !added.ok()) {
        give_up(added.error().message);
    }
    return run;
}

Row bind(Run& run) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kWidth; ++i) {
        names.push_back("train/metric_" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    }
    return run.row(std::vector<std::string_view>(names.begin(), names.end()));
}

/// Rows of values that look like metrics: single precision, a decay with noise. Made before the
/// clock starts, as the peers' programs do.
std::vector<double> make_rows(std::size_t rows) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < kWidth; ++i) {
            const double noise =
                std::sin(static_cast<double>(row * kWidth + i) * 12.9898) * 43758.5453;
            const double base = static_cast<double>(1 + i) / (1 + static_cast<double>(row) * 1e-3);
            values.push_back(static_cast<float>(base * (1 + 0.03 * (noise - std::floor(noise)))));
        }
    }
    return values;
}

void log_rows(const Attached& tracker, const std::string& folder, std::span<const double> values) {
    Run run = open_run(tracker, folder);
    const Row row = bind(run);
    for (Step step = 0; !values.empty(); ++step, values = values.subspan(kWidth)) {
        row.log(step, values.first(kWidth));
    }
    if (const auto finished = run.finish(); !finished.ok()) {
        give_up(finished.error().message);
    }
}

/// Median nanoseconds of a point, over batches of calls.
double caller_ns(const Attached& tracker, const std::string& folder) {
    Run run = open_run(tracker, folder);
    const Row row = bind(run);
    std::vector<double> values(kWidth, 0.5), medians;
    constexpr int kCalls = 200;
    Step step = 0;
    for (int batch = 0; batch < 500; ++batch) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kCalls; ++i) {
            row.log(step++, std::span<const double>(values));
        }
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - begin;
        medians.push_back(spent.count() / kCalls / static_cast<double>(kWidth));
    }
    std::ranges::nth_element(medians, medians.begin() + 250);
    (void)run.finish();
    return medians[250];
}

std::size_t read_all(const std::string& folder) {
    const auto catalogue = read(folder).value();
    std::size_t points = 0;
    for (const RunInfo& info : catalogue->runs()) {
        const auto run = catalogue->run(info.id).value();
        for (const KeyInfo& key : run->keys()) {
            points += key.kind == Kind::Scalar ? run->points(key.key).value().size() : 0;
        }
    }
    return points;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> given(argv + 1, argv + argc);
    const auto rows =
        static_cast<std::size_t>(given.size() == 5 ? std::atoll(given[4].c_str()) : 1);
    const std::vector<double> values = make_rows(rows);
    const double before = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    if (given.size() == 5 && given[0] == "write") {
        log_rows(attached(given[1], given[2]), given[3], values);
        std::printf("{\"id\": \"write\", \"points\": %zu, \"cpu_s\": %.9f, \"wall_s\": %.9f}\n",
                    rows * kWidth, cpu_seconds() - before, seconds());
    } else if (given.size() == 4 && given[0] == "caller") {
        std::printf("{\"id\": \"caller\", \"ns\": %.3f}\n",
                    caller_ns(attached(given[1], given[2]), given[3]));
    } else if (given.size() == 4 && given[0] == "open") {
        log_rows(attached(given[1], given[2]), given[3], values);
        std::printf("{\"id\": \"open\", \"ms\": %.3f}\n", seconds() * 1e3);
    } else if (given.size() == 2 && given[0] == "read") {
        const std::size_t points = read_all(given[1]);
        std::printf("{\"id\": \"read\", \"points\": %zu, \"cpu_s\": %.9f}\n", points,
                    cpu_seconds() - before);
    } else {
        give_up("usage: tracker_bench write|caller|open SINK WHERE FOLDER [ROWS], or read FOLDER");
    }
    return 0;
}
