// A loop with bars, for looking at in a real terminal: bars_program N MILLISECONDS [print] [train]
// [break]
#include <taffrail/progress.h>
#include <taffrail/training_bars.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

int main(int count, char** words) {
    const std::int64_t steps = count > 1 ? std::atoll(words[1]) : 50;
    const auto pause = std::chrono::milliseconds(count > 2 ? std::atoll(words[2]) : 20);
    bool print = false, train = false, stop = false;
    for (int i = 3; i < count; ++i) {
        const std::string_view word = words[i];
        print = print || word == "print";
        train = train || word == "train";
        stop = stop || word == "break";
    }
    if (train) {
        taffrail::TrainingBars bars;
        taffrail::MetricMap metrics;
        for (int epoch = 0; epoch < 2; ++epoch) {
            bars.begin(taffrail::Phase::Train, "Epoch " + std::to_string(epoch), steps, 0);
            for (std::int64_t i = 1; i <= steps; ++i) {
                std::this_thread::sleep_for(pause);
                metrics.set("loss", 1.0 / static_cast<double>(i));
                metrics.set("accuracy", 0.5);
                bars.update(i, metrics);
            }
            bars.begin(taffrail::Phase::Validate, "Validation DataLoader 0", steps, 0);
            for (std::int64_t i = 1; i <= steps; ++i) {
                std::this_thread::sleep_for(pause);
                bars.update(i, metrics);
            }
            metrics.set("val_loss", 0.25);
            bars.end(metrics);
            bars.end(metrics);
        }
        return 0;
    }
    for (const std::int64_t i : taffrail::progress(steps, {.description = "work"})) {
        std::this_thread::sleep_for(pause);
        if (print && i % 10 == 0) {
            std::printf("printf %d\n", static_cast<int>(i));
            std::cout << "cout " << i << std::endl;
            std::cerr << "cerr " << i << '\n';
            std::fprintf(stderr, "stderr %d\n", static_cast<int>(i));
        }
        if (stop && i == steps / 2) {
            taffrail::breakpoint();
        }
    }
    std::printf("done\n");
    return 0;
}
