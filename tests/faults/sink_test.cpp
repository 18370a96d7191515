// A sink that sleeps while its process dies: the next process hands over exactly what is missing.
#include <taffrail/run.h>

#include "faults/bare_options.h"
#include "io/temporary_folder.h"
#include "record/fake_sink.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

RunOptions options_in(const std::string& root) {
    return test::bare_options(root, "sleeper");
}

// Takes the first records, then hangs for ever; writes what it took to a file others can read.
class SleepySink final : public Sink {
  public:
    SleepySink(std::string path, std::size_t limit, transfer::Ending* ending = nullptr)
        : path_(std::move(path)), limit_(limit), ending_(ending) {}

    Result<void> open(const SinkContext&) override { return {}; }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        auto file = io::open(path_, io::OpenMode::CreateOrOpen).value();
        for (const Record& record : records) {
            if (taken_ >= limit_) {
                file.reset();
                // Called again: the place where it stopped is on record. Only now may the process
                // die.
                (void)io::open(path_ + ".asleep", io::OpenMode::CreateOrOpen);
                for (;;) {
                    pause();
                }
            }
            append(pending_, record.scalar);
            ++taken_;
            ++delivered;
            if (taken_ == limit_) {
                // Half a batch arrived; say so, and hang at the next one.
                (void)file->append(std::exchange(pending_, {}));
                return Error{ErrorCode::Unavailable, "falling asleep"};
            }
        }
        (void)file->append(std::exchange(pending_, {}));
        return {};
    }

    Result<void> flush() override { return {}; }

    void give_reason(std::string_view reason) override {
        if (ending_ != nullptr) {
            ending_->reason = reason;
        }
    }

    Result<void> close(RunState state) override {
        if (ending_ != nullptr) {
            ending_->state = state;
        }
        return {};
    }

    [[nodiscard]] bool accepts(Kind kind) const noexcept override { return kind == Kind::Scalar; }

    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override { return 5ms; }

  private:
    std::string path_;
    std::size_t limit_, taken_ = 0;
    transfer::Ending* ending_;  ///< what it was told at its end
    Bytes pending_;
};

std::vector<double> numbers_in(const std::string& path) {
    const Bytes bytes = io::read_file(path).value();
    std::vector<double> numbers(bytes.size() / 8);
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
}

void die_with_a_sleeping_sink(const std::string& root, const std::string& path) {
    const pid_t child = fork();
    if (child == 0) {
        taffrail::Run run = init(options_in(root));
        (void)run.add_sink(std::make_unique<SleepySink>(path, 137), "sleepy");
        for (int i = 0; i < 2000; ++i) {
            run.log("x", i, i);
        }
        (void)run.flush();
        for (int i = 2000; i < 5000; ++i) {
            run.log("x", i, i);
        }
        for (int tries = 0; tries < 2000 && !io::exists(path + ".asleep"); ++tries) {
            usleep(5'000);
        }
        for (int i = 5000; i < 5100; ++i) {
            run.log("x", i, i);
        }
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
}

void expect_exactly(const std::string& path, std::size_t count) {
    const auto numbers = numbers_in(path);
    ASSERT_EQ(numbers.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(numbers[i], static_cast<double>(i));
    }
}

TEST(SleepingSinks, CatchUpExactlyWhenTheRunIsSynced) {
    test::TemporaryFolder folder;
    const std::string path = folder.file("taken");
    die_with_a_sleeping_sink(folder.file("store"), path);
    const auto runs = io::list(folder.file("store/runs")).value();
    const std::string run_folder = folder.file("store/runs/" + runs.at(0).name);
    ASSERT_TRUE(transfer::adopt_orphans(run_folder, "sleeper").ok());
    const auto noted = transfer::noted_sinks(run_folder);
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted[0].name, "sleepy");
    transfer::Ending ending;
    const auto again = [&]() -> Result<std::unique_ptr<Sink>> {
        return std::unique_ptr<Sink>(std::make_unique<SleepySink>(path, SIZE_MAX, &ending));
    };
    const auto delivered = transfer::deliver_backlog(run_folder, "sleeper", noted[0], again,
                                                     {RunState::Crashed, "it was killed"});
    ASSERT_TRUE(delivered.ok()) << delivered.error().message;
    EXPECT_EQ(ending.state, RunState::Crashed) << "as the run ended, though it hears late";
    EXPECT_EQ(ending.reason, "it was killed");
    EXPECT_EQ(*delivered, 5100u - 137u);
    expect_exactly(path, 5100);
    EXPECT_EQ(transfer::deliver_backlog(run_folder, "sleeper", noted[0], again).value(), 0u)
        << "only once";
}

TEST(SleepingSinks, CatchUpExactlyWhenTheRunIsResumed) {
    test::TemporaryFolder folder;
    const std::string path = folder.file("taken");
    die_with_a_sleeping_sink(folder.file("store"), path);
    RunOptions resumed = options_in(folder.file("store"));
    resumed.resume = Resume::Must;
    taffrail::Run run = taffrail::Run::open(resumed).value();
    ASSERT_TRUE(run.add_sink(std::make_unique<SleepySink>(path, SIZE_MAX), "sleepy").ok());
    for (int i = 5100; i < 5200; ++i) {
        run.log("x", i, i);
    }
    ASSERT_TRUE(run.finish().ok());
    expect_exactly(path, 5200);
}

}  // namespace
}  // namespace taffrail
