// Costs of the logging pipeline; prints one JSON object per row: pipeline_bench FOLDER [quick]
#include <taffrail/taffrail.h>

#include <pty.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values,
                             values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

void row(const char* id, double value, const char* unit) {
    std::printf("{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id, value, unit);
    std::fflush(stdout);
}

// log() of twenty names with both levels and the bar, inside a real training step, as the peer's
// script does it.
struct LoggingModule : taffrail::Module {
    static constexpr int kCalls = 20;
    std::vector<double> nanoseconds;
    std::vector<std::string> names;

    LoggingModule() {
        for (int i = 0; i < kCalls; ++i) {
            names.push_back("loss" + std::to_string(i));
        }
    }

    void training_step(const taffrail::Batch&, std::int64_t) override {
        const double begin = seconds_of(CLOCK_MONOTONIC);
        for (const std::string& name : names) {
            log(name, 0.5, {.prog_bar = true, .on_step = true, .on_epoch = true, .batch_size = 8});
        }
        nanoseconds.push_back((seconds_of(CLOCK_MONOTONIC) - begin) * 1e9 / kCalls);
    }

    std::shared_ptr<taffrail::Loader> train_dataloader() override {
        return taffrail::map_loader(
            steps, [](std::int64_t) { return taffrail::Batch(std::vector<float>(8)); });
    }

    std::int64_t steps = 2000;
};

void measure_log(taffrail::Run& run, bool quick) {
    LoggingModule module;
    module.steps = quick ? 2000 : 20000;
    taffrail::TrainerOptions options;
    options.max_epochs = 1;
    options.run = &run;
    options.print_results = false;
    const double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    (void)taffrail::Trainer(std::move(options)).fit(module);
    const double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    row("pipeline.log_ns", median(module.nanoseconds), "ns");
    row("pipeline.log_cpu_us",
        used * 1e6 / static_cast<double>(module.steps * LoggingModule::kCalls), "us");
}

void measure_log_iter(taffrail::Run& run, bool quick) {
    taffrail::LoggerOptions options{.print_epochs = false};
    taffrail::DataMap data;
    for (int i = 0; i < 20; ++i) {
        const std::string name = "metric_" + std::to_string(i);
        options.tracked_variables["metric"].push_back(name);
        data.values[name] = 0.5 * i;
    }
    auto logger = taffrail::Logger::make(run, options).value();
    constexpr int kCalls = 200;
    std::vector<double> micros;
    for (int batch = 0; batch < (quick ? 50 : 500); ++batch) {
        const double begin = seconds_of(CLOCK_MONOTONIC);
        for (int i = 0; i < kCalls; ++i) {
            data.total_iters = batch * kCalls + i + 1;
            logger->log_iter(data);
        }
        micros.push_back((seconds_of(CLOCK_MONOTONIC) - begin) * 1e6 / kCalls);
    }
    row("pipeline.log_iter_20_us", median(micros), "us");
}

// What the bar of a training with ten metrics costs a loop of steps of a millisecond, in per cent
// of its time: CPU of every thread but the one that trains, plus what that one pays for each step's
// call.
double bar_share(int steps) {
    taffrail::MetricMap metrics;
    for (int i = 0; i < 10; ++i) {
        metrics.set("train/metric_" + std::to_string(i), 0.123456 * i);
    }
    taffrail::TrainingBars bars({.leave = false, .max_epochs = 3});
    bars.begin(taffrail::Phase::Train, "Epoch 0", 2 * steps, 0);
    const double wall = seconds_of(CLOCK_MONOTONIC);
    const double others =
        seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
    double calls = 0;
    for (int i = 1; i <= steps; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        // A look at the clock costs more than the call it measures, and the first one after a pause
        // several times as much: the step pays for none of them, only for what is cold of the call.
        (void)seconds_of(CLOCK_THREAD_CPUTIME_ID);
        const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        bars.update(i, metrics);
        calls += seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin - (begin - before);
    }
    const double drawing =
        seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID) - others;
    const double lasted = seconds_of(CLOCK_MONOTONIC) - wall;
    bars.end(metrics);
    // A sleep lasts longer than it should: the drawing belongs to the time that passed, the calls
    // to the steps.
    return 100 * (drawing / lasted + std::max(0.0, calls) / (steps * 1e-3));
}

// In a terminal that somebody else reads: its work is not ours.
void measure_bar(bool quick) {
    int main_side = -1, child_side = -1;
    if (::openpty(&main_side, &child_side, nullptr, nullptr, nullptr) != 0) {
        return;
    }
    const pid_t reader = ::fork();
    if (reader == 0) {
        ::close(child_side);
        char buffer[4096];
        while (::read(main_side, buffer, sizeof buffer) > 0) {
        }
        ::_exit(0);
    }
    const int real = ::dup(STDOUT_FILENO);
    ::dup2(child_side, STDOUT_FILENO);
    ::close(child_side);
    ::setenv("TERM", "xterm", 1);
    std::vector<double> shares;
    for (int i = 0; i < (quick ? 1 : 5); ++i) {
        shares.push_back(bar_share(quick ? 1000 : 2000));
    }
    ::dup2(real, STDOUT_FILENO);
    ::close(real);
    ::close(main_side);
    ::waitpid(reader, nullptr, 0);
    row("pipeline.bar_share", median(shares), "%");
}

// A batch of a millisecond, and nothing else.
struct SleepingModule : taffrail::Module {
    std::int64_t steps = 0;

    void training_step(const taffrail::Batch&, std::int64_t) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    std::shared_ptr<taffrail::Loader> train_dataloader() override {
        return taffrail::map_loader(
            steps, [](std::int64_t) { return taffrail::Batch(std::vector<float>(8)); });
    }
};

// CPU microseconds of the training threads per batch, over all ranks.
double training_cpu(const std::vector<std::shared_ptr<taffrail::Communicator>>& ranks,
                    std::int64_t steps) {
    std::vector<double> used(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        threads.emplace_back([&, rank] {
            SleepingModule module;
            module.steps = steps;
            taffrail::TrainerOptions options;
            options.max_epochs = 1;
            options.communicator = ranks[rank];
            options.print_results = false;
            const double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
            (void)taffrail::Trainer(std::move(options)).fit(module);
            used[rank] = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    double sum = 0;
    for (const double one : used) {
        sum += one;
    }
    return sum * 1e6 / static_cast<double>(steps) / static_cast<double>(ranks.size());
}

// What ranks pay for stopping together: the same batches with and without the others.
void measure_stop_agreement(bool quick) {
    constexpr std::size_t kRanks = 4;
    std::vector<taffrail::TcpListener> listeners;
    std::vector<std::string> hosts;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        listeners.push_back(taffrail::listen_on_loopback().value());
        hosts.push_back("127.0.0.1:" + std::to_string(listeners.back().port));
    }
    std::vector<std::shared_ptr<taffrail::Communicator>> together(kRanks), alone(kRanks);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
        threads.emplace_back([&, rank] {
            together[rank] = taffrail::connect_tcp({.hosts = hosts,
                                                    .rank = static_cast<int>(rank),
                                                    .listener = listeners[rank].socket})
                                 .value();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::vector<double> added;
    for (int i = 0; i < (quick ? 3 : 9); ++i) {
        const std::int64_t steps = quick ? 500 : 2000;
        const double before = training_cpu(alone, steps);
        added.push_back(training_cpu(together, steps) - before);
    }
    row("pipeline.stop_agreement_us", median(added), "us");
}

}  // namespace

int main(int count, char** words) {
    const std::string folder = count > 1 ? words[1] : ".";
    const bool quick = count > 2 && std::string_view(words[2]) == "quick";
    measure_bar(quick);
    measure_stop_agreement(quick);
    taffrail::Run run = taffrail::init({.project = "bench",
                                        .root = folder,
                                        .seal_on_finish = false,
                                        .environment = false,
                                        .machine_load = {}});
    measure_log(run, quick);
    measure_log_iter(run, quick);
    (void)run.finish();
    return 0;
}
