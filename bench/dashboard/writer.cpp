// A training program for measurements of the dashboard.
//   writer ROOT PROJECT NAME echo            logs a point per line of input, prints the time (ms)
//   just before the call writer ROOT PROJECT NAME HZ SECONDS      logs rows of four keys at that
//   rate, prints how many
//   writer ROOT PROJECT NAME arrive SECONDS  brings metrics nobody had, one after another
//   writer ROOT PROJECT NAME pictures COUNT  logs so many photo-like pictures of 512 × 512
#include <taffrail/taffrail.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

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

/// What a page must take without moving: metrics that come one after another, losses among them.
int arrive(taffrail::Run& run, double seconds) {
    const auto began = std::chrono::steady_clock::now();
    constexpr int kKeys = 12;
    constexpr int kRounds = 10;
    for (int round = 0; round < kKeys * kRounds; ++round) {
        std::this_thread::sleep_until(
            began + std::chrono::duration<double>(seconds * round / (kKeys * kRounds)));
        for (int key = 0; key <= round / kRounds; ++key) {
            const std::string name =
                (key % 2 == 0 ? "arrived/loss_" : "late_") + std::to_string(key);
            run.log(name, 1.0 / (1 + round), round);
        }
    }
    return 0;
}

/// Slow waves of light with grain on top, as photographs have: neither flat nor noise.
int pictures(taffrail::Run& run, int count) {
    constexpr int kSize = 512;
    std::vector<std::uint8_t> pixels(std::size_t{kSize} * kSize * 3);
    std::uint32_t grain = 12345;
    for (int number = 0; number < count; ++number) {
        std::size_t at = 0;
        for (int y = 0; y < kSize; ++y) {
            for (int x = 0; x < kSize; ++x) {
                for (int channel = 0; channel < 3; ++channel) {
                    grain = grain * 1664525U + 1013904223U;
                    const double light = 128 +
                                         60 * std::sin((x + 40.0 * number) / (60.0 + 9 * channel)) +
                                         50 * std::cos((y + 17.0 * number) / 47.0) +
                                         static_cast<double>(grain >> 28U);
                    pixels[at++] = static_cast<std::uint8_t>(std::clamp(light, 0.0, 255.0));
                }
            }
        }
        run.log_image("photo/" + std::to_string(number),
                      {taffrail::TensorView(pixels.data(), taffrail::DType::U8, {kSize, kSize, 3})},
                      0);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fputs("usage: writer ROOT PROJECT NAME echo|arrive|pictures|HZ [SECONDS|COUNT]\n",
                   stderr);
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
    const double amount = argc > 5 ? std::strtod(argv[5], nullptr) : 10;
    const int code = mode == "echo"       ? echo(run)
                     : mode == "arrive"   ? arrive(run, amount)
                     : mode == "pictures" ? pictures(run, static_cast<int>(amount))
                                          : log_at(run, std::strtod(argv[4], nullptr), amount);
    (void)run.finish();
    return code;
}
