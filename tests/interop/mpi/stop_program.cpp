// A training that stops itself at a known place, for the matrix of stops:
//
//   stop_program FOLDER LAUNCH KIND PLACE [resume]
//
// LAUNCH: single, threads, tcp (RANK, WORLD_SIZE and STOP_PROGRAM_PORTS are set), mpi. KIND: none,
// exception, ctrl_c, sigterm, max_time, early_stop, kill. PLACE: middle, validation, between. The
// last rank stops; the others only hear of it. Every rank writes FOLDER/rank<N>.tsv: what it
// logged, and how its fit ended.
#include <taffrail/taffrail.h>

#include "trainer/signals.h"
#include "trainer/walk.h"

#ifdef STOP_PROGRAM_WITH_MPI
#include <taffrail/mpi.h>
#endif

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace {

using taffrail::trainer_test::ShuffledLoader;
using taffrail::trainer_test::ValueLogger;
using taffrail::trainer_test::WalkModule;
using taffrail::trainer_test::WalkPlace;

constexpr std::chrono::milliseconds kMaxTime(400);

struct Case {
    std::string folder, launch, kind, place;
    bool resume = false;
};

// "step=9.ckpt" with the largest number.
std::string newest(const std::string& folder) {
    std::string path;
    long best = -1;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        long step = 0;
        if (std::sscanf(entry.path().filename().c_str(), "step=%ld.ckpt", &step) == 1 &&
            entry.path().extension() == ".ckpt" && step > best) {
            best = step;
            path = entry.path();
        }
    }
    return path;
}

// Stops once, in the second epoch.
void stop_here(const Case& wanted, WalkModule& module,
               std::chrono::steady_clock::time_point began) {
    if (wanted.kind == "exception") {
        throw std::runtime_error("out of luck");
    }
    if (wanted.kind == "ctrl_c" || wanted.kind == "sigterm") {
        const int signal = wanted.kind == "ctrl_c" ? SIGINT : SIGTERM;
        // What a terminal or a batch system does to a job: the launcher is told.
        if (wanted.launch == "mpi") {
            ::kill(::getppid(), signal);
            // The launcher passes it on when it gets to it; the training would be over by then.
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (taffrail::trainer::pending_signal() == 0 &&
                   std::chrono::steady_clock::now() < end) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        } else {
            std::raise(signal);
        }
    } else if (wanted.kind == "max_time") {
        std::this_thread::sleep_until(began + kMaxTime);
    } else if (wanted.kind == "early_stop") {
        module.trainer()->stop();
    } else if (wanted.kind == "kill") {
        ::kill(::getpid(), SIGKILL);
    }
}

int train(const Case& wanted, taffrail::Run* run, std::shared_ptr<taffrail::Communicator> ranks) {
    const int rank = ranks ? ranks->rank() : 0;
    const int last = ranks ? ranks->world_size() - 1 : 0;
    auto values = std::make_shared<ValueLogger>();
    taffrail::TrainerOptions options;
    options.max_epochs = 3;
    options.val_check_interval = 4;  // of 8
    options.num_sanity_val_steps = 0;
    options.log_every_n_steps = 1;
    options.run = run;
    options.loggers = {values};
    options.communicator = ranks;
    if (wanted.kind == "max_time") {
        options.max_time = kMaxTime;
    }
    const std::string checkpoints = wanted.folder + "/checkpoints";
    auto keep = std::make_shared<taffrail::ModelCheckpoint>(taffrail::ModelCheckpointOptions{
        .dirpath = checkpoints, .filename = "{step}", .save_last = true, .every_n_train_steps = 3});
    options.callbacks = {keep};
    WalkModule module(ranks);
    const auto began = std::chrono::steady_clock::now();
    if (rank == last) {
        module.at = [&](WalkPlace here, std::int64_t times) {
            if ((wanted.place == "middle" && here == WalkPlace::Step && times == 11) ||
                (wanted.place == "validation" && here == WalkPlace::Validation && times == 8) ||
                (wanted.place == "between" && here == WalkPlace::EpochEnd && times == 2)) {
                stop_here(wanted, module, began);
            }
        };
    }
    std::string from;
    if (wanted.resume) {
        // A rank that was killed left no share of its own in the last file: the regular one has it.
        from = wanted.kind == "kill" ? newest(checkpoints) : checkpoints + "/last.ckpt";
        // A slow machine may reach a time limit before the first step: then nothing was done yet.
        if (!std::filesystem::exists(from)) {
            from.clear();
        }
        module.at = {};
        options.max_time.reset();
    }
    taffrail::Trainer trainer(options);
    const auto done = trainer.fit(module,
                                  {.train = std::make_shared<ShuffledLoader>(8),
                                   .val = {std::make_shared<ShuffledLoader>(3)}},
                                  from);
    std::ofstream out(wanted.folder + "/rank" + std::to_string(rank) +
                      (wanted.resume ? ".resumed.tsv" : ".tsv"));
    out << "steps\t" << trainer.global_step() << "\nok\t" << done.ok() << "\nerror\t"
        << (done.ok() ? "" : done.error().message) << '\n';
    for (const auto& [key, value] : values->values) {
        char text[32];
        std::snprintf(text, sizeof text, "%a", value);
        out << "value\t" << key.first << '\t' << key.second << '\t' << text << '\n';
    }
    return trainer.exit_code();
}

taffrail::Run open_run(const Case& wanted) {
    return taffrail::init({.project = "stops",
                           .root = wanted.folder + (wanted.resume ? "/resumed" : "/runs"),
                           .environment = false,
                           .machine_load = {}});
}

int in_threads(const Case& wanted) {
    taffrail::Run run = open_run(wanted);
    const auto ranks = taffrail::thread_communicators(3, std::chrono::seconds(30));
    std::vector<int> codes(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        threads.emplace_back(
            [&, rank] { codes[rank] = train(wanted, rank == 0 ? &run : nullptr, ranks[rank]); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    (void)run.finish();
    return codes[0];
}

taffrail::Result<std::shared_ptr<taffrail::Communicator>> join(const Case& wanted) {
    if (wanted.launch == "tcp") {
        taffrail::TcpOptions options;
        options.rank = std::atoi(std::getenv("RANK"));
        options.timeout = std::chrono::seconds(30);
        std::istringstream ports(std::getenv("STOP_PROGRAM_PORTS"));
        for (std::string port; ports >> port;) {
            options.hosts.push_back("127.0.0.1:" + port);
        }
        return taffrail::connect_tcp(options);
    }
#ifdef STOP_PROGRAM_WITH_MPI
    if (wanted.launch == "mpi") {
        return taffrail::mpi_communicator(std::chrono::seconds(30));
    }
#endif
    return taffrail::single_communicator();
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) {
        std::fputs("stop_program FOLDER LAUNCH KIND PLACE [resume]\n", stderr);
        return 2;
    }
    const Case wanted{words[1], words[2], words[3], words[4], count > 5};
    if (wanted.launch == "threads") {
        return in_threads(wanted);
    }
    auto ranks = join(wanted);
    if (!ranks.ok()) {
        std::fprintf(stderr, "stop_program: %s\n", ranks.error().message.c_str());
        return 1;
    }
    taffrail::Run run = open_run(wanted);
    const int code = train(wanted, &run, *ranks);
    (void)run.finish();
    // A launcher that stays may be ended now.
    std::ofstream(wanted.folder + "/rank" + std::to_string((*ranks)->rank()) + ".done") << code;
    return code;
}
