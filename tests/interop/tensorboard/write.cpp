// Writes runs for the tests against TensorBoard: write SCENARIO FOLDER [arguments]. The tests
// compute what they expect from the same formulas, so nothing here prints.
#include "write.h"

#include <taffrail/summary_writer.h>

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace taffrail;

namespace {

void write_scalars(const std::string& root) {
    for (int run = 0; run < 3; ++run) {
        SummaryWriter writer({.log_dir = root + "/scalars/" + std::to_string(run)});
        for (int step = 0; step < 667; ++step) {
            for (int tag = 0; tag < 50; ++tag) {
                writer.add_scalar("group/tag_" + std::to_string(tag),
                                  run * 1e6 + step * 50 + tag + 0.1, step,
                                  1.7e9 + run * 1000 + step + tag * 0.001953125);
            }
        }
    }
}

void write_special(const std::string& root) {
    SummaryWriter writer({.log_dir = root + "/special"});
    const std::vector<double> values{
        std::nan(""), HUGE_VAL, -HUGE_VAL, 1e-45, -0.0, static_cast<double>(3.4028235e38F), 1e300};
    for (std::size_t i = 0; i < values.size(); ++i) {
        writer.add_scalar("values", values[i], static_cast<Step>(i), 1700000000.123456);
    }
    for (Step step : {Step{-5}, Step{0}, (Step{1} << 53) + 1}) {
        writer.add_scalar("steps", 1, step, 1700000001.654321);
    }
    writer.describe("described", "Described", "how *good*");
    writer.add_scalar("described", 1, 0);
    writer.add_scalar("reused", 1, 0);
    const std::vector<float> numbers{1, 2, 3};
    writer.add_histogram("reused", TensorView(numbers), 1);
    writer.add_scalar("reused", 2, 2);
    writer.add_text("reused_too", "words", 1);
    writer.add_scalar("reused_too/text_summary", 3, 2);
}

/// Events with fixed times: the test compares their bytes with known ones.
void write_golden(const std::string& root) {
    SummaryWriter writer({.log_dir = root + "/golden"});
    writer.add_scalar("loss", 0, 0, 1700000000.0);
    writer.add_scalar("loss", 0.5, 1, 1700000000.5);
}

void write_names(const std::string& root) {
    for (const char* name :
         {"", "/names/nested/deeper", "/names/with space", "/names/ünïcode ✓", "/names/#&?%"}) {
        SummaryWriter writer({.log_dir = root + name});
        writer.add_scalar("named", 1, 0);
    }
}

void write_hparams(const std::string& root) {
    {
        SummaryWriter writer({.log_dir = root + "/hparams/a"});
        writer.add_hparams({{"lr", 0.1},
                            {"layers", std::int64_t{3}},
                            {"bias", true},
                            {"optimizer", std::string("adam")}},
                           {{"accuracy", 0.5}});
        SummaryWriter eval({.log_dir = root + "/hparams/a/eval"});
        eval.add_scalar("accuracy", 0.25, 1);
    }
    {
        SummaryWriter writer({.log_dir = root + "/hparams/b"});
        writer.add_hparams({{"lr", 0.2}, {"dropout", 0.5}, {"bias", false}}, {{"accuracy", 0.75}});
    }
    {
        SummaryWriter writer({.log_dir = root + "/hparams/failed"});
        writer.add_hparams({{"lr", 0.4}}, {{"accuracy", 0.125}});
        static_cast<void>(writer.close(RunState::Failed));
    }
    for (const int seed : {0, 1}) {
        SummaryWriter writer(
            {.log_dir = root + "/hparams/seed_" + std::to_string(seed), .group_name = "trial"});
        writer.add_hparams({{"lr", 0.5}}, {{"accuracy", seed == 0 ? 0.25 : 0.75}});
    }
    // A session that never ends: this process leaves without closing it.
    static SummaryWriter* killed = new SummaryWriter({.log_dir = root + "/hparams/killed"});
    killed->add_hparams({{"lr", 0.3}, {"extra", std::string("x")}}, {{"accuracy", 1.0}});
    static_cast<void>(killed->flush());
}

void write_resume(const std::string& root) {
    {
        SummaryWriter writer({.log_dir = root + "/resume"});
        for (Step step = 0; step <= 100; ++step) {
            writer.add_scalar("loss", 1, step);
        }
    }
    SummaryWriter writer({.log_dir = root + "/resume", .purge_step = 50});
    for (Step step = 50; step <= 150; ++step) {
        writer.add_scalar("loss", 2, step);
    }
}

void write_threads(const std::string& root, int each) {
    SummaryWriter writer({.log_dir = root + "/threads"});
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&writer, thread, each] {
            for (int i = 0; i < each; ++i) {
                writer.add_scalar("thread_" + std::to_string(thread), i, i);
            }
        });
    }
}

/// Writes until it is killed; prints after each flush how far it came.
void write_forever(const std::string& root) {
    SummaryWriter writer({.log_dir = root});
    for (Step step = 0;; ++step) {
        writer.add_scalar("loss", static_cast<double>(step), step);
        if (step % 1000 == 999) {
            static_cast<void>(writer.flush());
            std::printf("%lld\n", static_cast<long long>(step));
            std::fflush(stdout);
            ::usleep(20'000);
        }
    }
}

/// Far more than the disk takes (the test limits the size of files); prints what check() says.
void write_too_much(const std::string& root) {
    std::signal(SIGXFSZ, SIG_IGN);
    SummaryWriter writer({.log_dir = root});
    for (Step step = 0; step < 6'000'000; ++step) {
        writer.add_scalar("loss", static_cast<double>(step), step);
        if (step == 1'999) {
            (void)writer.flush();  // fits for sure, whatever the threads do next
        }
    }
    const auto closed = writer.close();
    std::printf("%s\n", closed.ok() ? "fine" : closed.error().message.c_str());
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            std::printf("%s\n", line.c_str());
        }
    }
}

/// One process of several in the same folder.
void write_process(const std::string& root, const std::string& tag) {
    SummaryWriter writer({.log_dir = root});
    for (Step step = 0; step < 2000; ++step) {
        writer.add_scalar(tag, static_cast<double>(step), step);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: write SCENARIO FOLDER [arguments]\n");
        return 2;
    }
    const std::string scenario = argv[1], root = argv[2];
    if (scenario == "all") {
        write_golden(root);
        write_scalars(root);
        write_special(root);
        write_names(root);
        write_media(root);
        write_resume(root);
        write_hparams(root);
        std::fflush(stdout);
        ::_exit(0);
    }
    if (scenario == "threads") {
        write_threads(root, argc > 3 ? std::atoi(argv[3]) : 125'000);
    } else if (scenario == "forever") {
        write_forever(root);
    } else if (scenario == "too_much") {
        write_too_much(root);
    } else if (scenario == "process") {
        write_process(root, argc > 3 ? argv[3] : "p");
    } else {
        std::fprintf(stderr, "write: no scenario '%s'\n", argv[1]);
        return 2;
    }
    return 0;
}
