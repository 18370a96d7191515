// What a scalar costs: write FOLDER STEPS. Twenty tags a step through SummaryWriter; caller time by
// the clock of this thread alone, CPU of all threads from open to close.
#include <taffrail/summary_writer.h>

#include "base/clock.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace taffrail;

namespace {

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: write FOLDER STEPS\n");
        return 2;
    }
    const int steps = std::atoi(argv[2]);
    std::vector<std::string> tags;
    for (int i = 0; i < 20; ++i) {
        char name[32];
        std::snprintf(name, sizeof name, "train/metric_%02d", i);
        tags.emplace_back(name);
    }
    const double cpu = cpu_seconds();
    double caller_ns = 0;
    {
        SummaryWriter writer({.log_dir = argv[1], .max_queue = 1000, .flush_secs = 600});
        writer.add_scalar(tags[0], 0, 0);
        const std::int64_t begin = monotonic_ns();
        for (int step = 0; step < steps; ++step) {
            for (const std::string& tag : tags) {
                writer.add_scalar(tag, step * 0.5, step);
            }
        }
        caller_ns = static_cast<double>(monotonic_ns() - begin) / (steps * 20.0);
        if (!writer.close().ok()) {
            return 1;
        }
    }
    std::printf("{\"id\": \"write\", \"caller_ns\": %.1f, \"cpu_us\": %.5f}\n", caller_ns,
                (cpu_seconds() - cpu) / (steps * 20.0) * 1e6);
    return 0;
}
