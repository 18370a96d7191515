// A load of known size for test_load.py: holds 200 MiB and burns half a processor for some seconds,
// watched by its own run.
//     load_tool ROOT SECONDS
#include <taffrail/run.h>

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void say(const char* line) {
    std::puts(line);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    using namespace taffrail;
    if (count != 3) {
        return 2;
    }
    const std::vector<char> held(200u << 20, 1);
    RunOptions options;
    options.root = arguments[1];
    options.environment = false;
    options.machine_load = std::chrono::milliseconds(100);
    Run run = init(options);
    const double begin = seconds_of(CLOCK_MONOTONIC), length = std::atof(arguments[2]);
    say("burning");
    while (seconds_of(CLOCK_MONOTONIC) - begin < length) {
        const double burnt = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - burnt < 0.01) {
        }
        usleep(10'000);
    }
    say("done");
    usleep(300'000);  // time for others to look
    return run.finish().ok() && held[held.size() / 2] == 1 ? 0 : 1;
}
