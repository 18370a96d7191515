// kill -9 at random microseconds. Every value is f(thread, series, number), so what is missing,
// doubled or altered has a name. 100 trials over all tests, 1,000 with TAFFRAIL_FULL;
// TAFFRAIL_KILL_TRIALS sets another number.
#include <taffrail/run.h>

#include "faults/bare_options.h"
#include "io/temporary_folder.h"
#include "run/read_back.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

constexpr int kMostThreads = 8;
constexpr int kSeries = 5;  // in a row

int trials_of(int percent) {
    const char* text = std::getenv("TAFFRAIL_KILL_TRIALS");
    const int all = text != nullptr                           ? std::atoi(text)
                    : std::getenv("TAFFRAIL_FULL") != nullptr ? 1000
                                                              : 100;
    return std::max(1, all * percent / 100);
}

double oracle(int thread, int series, std::int64_t number) {
    // Exact in a double, different for every point, and not a pattern that codecs like.
    return static_cast<double>((number * 64 + series) * 64 + thread) * 1.0000001;
}

/// Shared with the process that will be killed: what it was told is safe.
struct Acknowledged {
    std::atomic<std::int64_t> rows[kMostThreads];
    std::atomic<std::int64_t> texts;
    std::atomic<std::int64_t> images;
    std::atomic<int> opened;
    std::atomic<int> finishing;
};

class Shared {
  public:
    Shared()
        : memory_(mmap(nullptr, sizeof(Acknowledged), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
          state_(new(memory_) Acknowledged{}) {}

    ~Shared() { munmap(memory_, sizeof(Acknowledged)); }

    Acknowledged* operator->() const { return state_; }

  private:
    void* memory_;
    Acknowledged* state_;
};

struct Trial {
    int threads = 1;
    std::uint64_t roll_bytes = 64u << 20;
    bool values = false;  // texts and pictures beside the rows
    bool finish = false;  // ends by itself, if it gets that far
    int longest_us = 60'000;
};

RunOptions options_of(const Trial& trial, const std::string& root) {
    RunOptions options = test::bare_options(root, "victim");
    options.roll_bytes = trial.roll_bytes;
    options.ring_bytes = 256 << 10;
    return options;
}

// The process that is killed.
[[noreturn]] void record_until_killed(const Trial& trial, const std::string& root, Shared& shared) {
    taffrail::Run run = init(options_of(trial, root));
    if (!run.active()) {
        _exit(3);
    }
    shared->opened = 1;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < trial.threads; ++thread) {
        threads.emplace_back([&, thread] {
            std::vector<std::string> names;
            for (int series = 0; series < kSeries; ++series) {
                names.push_back("t" + std::to_string(thread) + "/s" + std::to_string(series));
            }
            const std::vector<std::string_view> views(names.begin(), names.end());
            Row row = run.row(views);
            for (std::int64_t number = 0; !stop; ++number) {
                double values[kSeries];
                for (int series = 0; series < kSeries; ++series) {
                    values[series] = oracle(thread, series, number);
                }
                row.log(number, std::span<const double>(values));
                shared->rows[thread].store(number + 1, std::memory_order_release);
                if (number % 64 == 63) {
                    std::this_thread::yield();
                }
            }
        });
    }
    const std::vector<std::uint8_t> pixels(48 * 48, 7);
    for (std::int64_t number = 0; trial.values && number < 2000; ++number) {
        run.log_text(
            "text",
            "number " + std::to_string(number) + (number % 3 == 0 ? std::string(9000, '.') : ""),
            number);
        shared->texts = number + 1;
        if (number % 4 == 0) {
            run.log_image("image", {TensorView(pixels.data(), DType::U8, {48, 48}), Layout::Hwc},
                          number);
            shared->images = number / 4 + 1;
        }
    }
    if (trial.finish) {
        std::this_thread::sleep_for(5ms);
        stop = true;
        for (auto& thread : threads) {
            thread.join();
        }
        shared->finishing = 1;
        (void)run.finish();
        _exit(0);
    }
    for (;;) {
        pause();
    }
}

class Kills : public testing::Test {
  protected:
    void run_trials(const Trial& trial, int trials) {
        for (int number = 0; number < trials && !HasFatalFailure(); ++number) {
            SCOPED_TRACE("trial " + std::to_string(number));
            run_trial(trial);
        }
    }

    void run_trial(const Trial& trial) {
        test::TemporaryFolder folder;
        const std::string root = folder.file("store");
        Shared shared;
        const pid_t child = fork();
        if (child == 0) {
            record_until_killed(trial, root, shared);
        }
        for (int waited = 0; shared->opened == 0 && waited < 20'000; ++waited) {
            usleep(1000);
        }
        ASSERT_EQ(shared->opened, 1);
        usleep(std::uniform_int_distribution<useconds_t>(
            0, static_cast<useconds_t>(trial.longest_us))(random_));
        kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        const auto runs = io::list(io::join(root, "runs")).value();
        ASSERT_EQ(runs.size(), 1u);
        const std::string run_folder = io::join(io::join(root, "runs"), runs[0].name);
        adopt_with_interruptions(run_folder);
        verify(trial, run_folder, shared);
    }

    // Adopters die too: each of the first two is killed somewhere on its way.
    void adopt_with_interruptions(const std::string& run_folder) {
        for (int attempt = 0; attempt < 2; ++attempt) {
            const pid_t adopter = fork();
            if (adopter == 0) {
                (void)transfer::adopt_orphans(run_folder, "victim");
                _exit(0);
            }
            usleep(std::uniform_int_distribution<useconds_t>(0, 8000)(random_));
            kill(adopter, SIGKILL);
            waitpid(adopter, nullptr, 0);
        }
        const auto adopted = transfer::adopt_orphans(run_folder, "victim");
        ASSERT_TRUE(adopted.ok()) << adopted.error().message;
        EXPECT_EQ(transfer::adopt_orphans(run_folder, "victim").value().rows, 0u);
        ASSERT_FALSE(io::exists(io::join(run_folder, "ring"))) << "something was left behind";
    }

    static void verify(const Trial& trial, const std::string& run_folder, Shared& shared) {
        auto all = test::read_back(run_folder);
        for (int thread = 0; thread < trial.threads; ++thread) {
            const std::int64_t acknowledged = shared->rows[thread].load(std::memory_order_acquire);
            for (int series = 0; series < kSeries; ++series) {
                const std::string key =
                    "t" + std::to_string(thread) + "/s" + std::to_string(series);
                const auto& points = all[key];
                ASSERT_GE(static_cast<std::int64_t>(points.size()), acknowledged)
                    << key << ": acknowledged points are lost";
                ASSERT_LE(static_cast<std::int64_t>(points.size()), acknowledged + 1)
                    << key << ": invented or doubled";
                for (std::size_t i = 0; i < points.size(); ++i) {
                    ASSERT_EQ(points[i].step, static_cast<Step>(i)) << key;
                    ASSERT_EQ(points[i].scalar,
                              oracle(thread, series, static_cast<std::int64_t>(i)))
                        << key;
                }
            }
        }
        if (!trial.values) {
            return;
        }
        const auto check = [&](const char* key, std::int64_t acknowledged, Step stride) {
            std::map<Step, int> seen;
            for (const auto& record : all[key]) {
                ++seen[record.step];
            }
            ASSERT_GE(static_cast<std::int64_t>(seen.size()), acknowledged) << key;
            ASSERT_LE(static_cast<std::int64_t>(seen.size()), acknowledged + 1) << key;
            Step expected = 0;
            for (const auto& [step, count] : seen) {
                ASSERT_EQ(step, expected) << key;
                ASSERT_EQ(count, 1) << key << " at step " << step;
                expected += stride;
            }
        };
        check("text", shared->texts, 1);
        check("image", shared->images, 4);
        for (const auto& record : all["image"]) {
            ASSERT_EQ(std::get<Image>(*record.value).width, 48);
        }
    }

    std::mt19937_64 random_{std::random_device{}()};
};

TEST_F(Kills, LoseNothingWithOneThread) {
    run_trials({.threads = 1}, trials_of(20));
}

TEST_F(Kills, LoseNothingWithEightThreads) {
    run_trials({.threads = 8}, trials_of(20));
}

TEST_F(Kills, LoseNothingWhileFilesRoll) {
    run_trials({.threads = 4, .roll_bytes = 64 << 10}, trials_of(20));
}

TEST_F(Kills, LoseNothingWhileFinishing) {
    run_trials({.threads = 2, .finish = true, .longest_us = 40'000}, trials_of(20));
}

TEST_F(Kills, LoseNoValuesUnderWay) {
    run_trials({.threads = 1, .values = true}, trials_of(20));
}

}  // namespace
}  // namespace taffrail
