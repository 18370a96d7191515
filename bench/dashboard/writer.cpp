// A training program for measurements of the dashboard.
//   writer ROOT PROJECT NAME echo            logs a point per line of input, prints the time (ms)
//   just before the call writer ROOT PROJECT NAME HZ SECONDS      logs rows of four keys at that
//   rate, prints how many
#include <taffrail/taffrail.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

namespace {

double wall_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

int echo(taffrail::Run& run) {
    auto loss = run.scalar("train/loss");
    taffrail::Step step = 0;
    for (std::string line; std::getline(std::cin, line); ++step) {
        std::printf("%.3f\n", wall_ms());
        loss.log(1.0 / (1.0 + static_cast<double>(step)), step);
        std::fflush(stdout);
    }
    return 0;
}

int log_at(taffrail::Run& run, double hertz, double seconds) {
    auto row = run.row("train/loss", "train/accuracy", "train/grad_norm", "val/loss");
    const auto began = std::chrono::steady_clock::now();
    const auto last = static_cast<taffrail::Step>(hertz * seconds);
    for (taffrail::Step step = 0; step < last; ++step) {
        std::this_thread::sleep_until(
            began + std::chrono::duration<double>(static_cast<double>(step) / hertz));
        const double at = static_cast<double>(step);
        row.log(step, std::exp(-at / 300), 1 - std::exp(-at / 300), 1 + std::sin(at), 0.5);
    }
    std::printf("%lld\n", static_cast<long long>(last));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fputs("usage: writer ROOT PROJECT NAME echo|HZ [SECONDS]\n", stderr);
        return 2;
    }
    taffrail::RunOptions options;
    options.root = argv[1];
    options.project = argv[2];
    options.name = argv[3];
    options.environment = false;
    options.machine_load = {};
    taffrail::Run run = taffrail::init(options);
    const std::string mode = argv[4];
    const int code = mode == "echo" ? echo(run)
                                    : log_at(run, std::strtod(argv[4], nullptr),
                                             argc > 5 ? std::strtod(argv[5], nullptr) : 10);
    (void)run.finish();
    return code;
}
