// What a scalar costs with tensorboard_logger: logger_write FILE STEPS. Twenty tags a step, CPU of
// all threads from open to close, as bench/tensorboard/write.cpp counts it.
#include "../cpu_time.h"
#include "tensorboard_logger.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: logger_write FILE STEPS\n");
        return 2;
    }
    const int steps = std::atoi(argv[2]);
    std::vector<std::string> tags;
    for (int i = 0; i < 20; ++i) {
        tags.push_back("train/metric_" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    }
    const double cpu = cpu_seconds();
    {
        TensorBoardLogger logger(argv[1]);
        for (int step = 0; step < steps; ++step) {
            for (const std::string& tag : tags) {
                logger.add_scalar(tag, step, step * 0.5);
            }
        }
    }
    std::printf("{\"cpu_us\": %.5f}\n", (cpu_seconds() - cpu) / (steps * 20.0) * 1e6);
    return 0;
}
