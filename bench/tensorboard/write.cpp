// What a scalar costs: write FOLDER STEPS. Twenty tags a step through SummaryWriter; wall time on
// the caller (median and mean over batches of 10,000 calls: the median leaves out what other
// programs take from this core), CPU of all threads from open to close.
#include <taffrail/summary_writer.h>

#include "base/clock.h"
#include "cpu_time.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

using namespace taffrail;

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
    std::vector<double> batches;
    {
        SummaryWriter writer({.log_dir = argv[1], .max_queue = 1000, .flush_secs = 600});
        writer.add_scalar(tags[0], 0, 0);
        for (int step = 0; step < steps;) {
            const std::int64_t begin = monotonic_ns();
            const int end = std::min(step + 500, steps);
            const double calls = (end - step) * 20.0;
            for (; step < end; ++step) {
                for (const std::string& tag : tags) {
                    writer.add_scalar(tag, step * 0.5, step);
                }
            }
            batches.push_back(static_cast<double>(monotonic_ns() - begin) / calls);
        }
        if (!writer.close().ok()) {
            return 1;
        }
    }
    const double cpu_us = (cpu_seconds() - cpu) / (steps * 20.0) * 1e6;
    const double mean =
        std::accumulate(batches.begin(), batches.end(), 0.0) / static_cast<double>(batches.size());
    std::nth_element(batches.begin(),
                     batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2),
                     batches.end());
    std::printf(
        "{\"id\": \"write\", \"caller_ns\": %.1f, \"caller_mean_ns\": %.1f, \"cpu_us\": %.5f}\n",
        batches[batches.size() / 2], mean, cpu_us);
    return 0;
}
