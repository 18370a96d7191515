// What a finished run leaves behind in its process, and what a thread does that finds no room for
// its first record.
#include "io/fault.h"
#include "record/all_recorders.h"
#include "record/fake_log.h"
#include "record/membarrier.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace taffrail::record {
namespace {

using namespace std::chrono_literals;
using test::Recording;

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

/// Lines of /proc/self/maps, and how many of them are rings.
std::pair<std::size_t, std::size_t> mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t lines = 0, rings = 0;
    for (std::string line; std::getline(maps, line); ++lines) {
        rings += line.find(".ring") != std::string::npos;
    }
    return {lines, rings};
}

void make_a_run(int number) {
    Recording recording;
    const std::string_view name = "loss";
    detail::RowCore* row = recording.recorder->keys().row(std::span(&name, 1));
    for (int i = 0; i < 10; ++i) {
        const double value = number;
        recording.recorder->log(*row, i, &value);
    }
    EXPECT_EQ(recording.points("loss").size(), 10u);
    ASSERT_TRUE(recording.recorder->finish(RunState::Finished, 20s).ok());
    recording.recorder->release();
}

TEST(Barriers, AreThereForAForkThatAnnouncedItselfAndForOneThatDidNot) {
    const pid_t child = ::fork();  // of one thread, whatever this process has
    ASSERT_GE(child, 0);
    if (child == 0) {
        announce_barriers();
        const bool offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) > 0;
        const bool announced = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
        ::_exit(announced == offered && barrier_in_all_threads() == offered ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const bool offered = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) > 0;
    EXPECT_EQ(barrier_in_all_threads(), offered);
}

TEST(FinishedRuns, FindingG06_GiveBackDescriptorsAndRings) {
    make_a_run(0);
    const std::size_t descriptors = open_descriptors();
    [[maybe_unused]] const std::size_t lines = mappings().first;
    for (int i = 1; i <= 200; ++i) {
        make_a_run(i);
    }
    EXPECT_LE(open_descriptors(), descriptors + 2);
    EXPECT_EQ(mappings().second, 0u);
#if !defined(__SANITIZE_THREAD__)  // which maps memory of its own as it goes
    EXPECT_LE(mappings().first, lines + 20) << "address space is given back too";
#endif
}

TEST(FinishedRuns, FindingG05_UseTheSameRecorderAgain) {
    make_a_run(0);
    const std::size_t known = AllRecorders::count();
    for (int i = 1; i <= 50; ++i) {
        make_a_run(i);
    }
    EXPECT_EQ(AllRecorders::count(), known);
}

TEST(FinishedRuns, HandlesThatOutliveThemLogToNobody) {
    detail::RowCore* handle = nullptr;
    {
        Recording recording;
        const std::string_view name = "old";
        handle = recording.recorder->keys().handle(std::span(&name, 1));
        const double value = 1;
        handle->target().log(*handle, 0, &value);
        ASSERT_TRUE(recording.recorder->finish(RunState::Finished, 20s).ok());
        recording.recorder->release();
    }
    Recording next;
    auto& row = next.row({"new"});
    next.log(row, 0, {2});
    for (Step step = 0; step < 100; ++step) {
        const double value = 3;
        handle->target().log(*handle, step, &value);
    }
    EXPECT_EQ(next.points("new").size(), 1u);
    EXPECT_TRUE(next.points("old").empty());
    EXPECT_EQ(next.recorder->stats().records, 1u);
}

// Threads that log flat out while their run ends and its recorder serves the next one: every record
// goes to the run of its handle or nowhere.
TEST(FinishedRuns, FindingG06_AreTakenDownUnderThreadsThatStillLog) {
    for (int round = 0; round < 8; ++round) {
        std::atomic<bool> stop{false};
        std::atomic<int> started{0};
        detail::RowCore* handle = nullptr;
        std::vector<std::thread> threads;
        {
            Recording recording({.flush_interval = 1ms});
            const std::string_view name = "busy";
            handle = recording.recorder->keys().handle(std::span(&name, 1));
            for (int i = 0; i < 3; ++i) {
                threads.emplace_back([&] {
                    const double value = 1;
                    for (Step step = 0; !stop.load(); ++step) {
                        handle->target().log(*handle, step, &value);
                        started += step == 10;
                    }
                });
            }
            while (started.load() < 3) {
                std::this_thread::yield();
            }
            ASSERT_TRUE(recording.recorder->finish(RunState::Finished, 20s).ok());
            recording.recorder->release();
        }
        Recording next({.flush_interval = 1ms});
        next.log(next.row({"calm"}), 0, {1});
        EXPECT_EQ(next.points("calm").size(), 1u);
        stop = true;
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(next.recorder->stats().records, 1u);
        ASSERT_TRUE(next.recorder->finish(RunState::Finished, 20s).ok());
        next.recorder->release();
    }
}

char state_of_thread(pid_t thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), {});
    const std::size_t behind_name = text.rfind(')');
    return behind_name == std::string::npos ? '?' : text.at(behind_name + 2);
}

// A log call that waits to tell its ring the context while the run is closed: the thread's next
// call must find the run closed.
TEST(FinishedRuns, FindingG06_AreSeenByAThreadThatWasToldTheContextMeanwhile) {
    Recording recording;
    auto& row = recording.row({"busy"});
    std::atomic<pid_t> thread{0};
    std::atomic<bool> first{false}, second{false};
    const double value = 1;
    std::thread logging([&] {
        recording.recorder->log(row, 0, &value);
        thread = gettid();
        while (!first.load()) {
            std::this_thread::yield();
        }
        recording.recorder->log(row, 1, &value);
        while (!second.load()) {
            std::this_thread::yield();
        }
        recording.recorder->log(row, 2, &value);
    });
    while (thread.load() == 0) {
        std::this_thread::yield();
    }
    recording.recorder->change_context([](Context& context) { context.epoch = 1; });
    std::thread finishing;
    recording.recorder->change_context([&](Context&) {
        first = true;
        while (state_of_thread(thread) != 'S') {  // at the lock of the context, which is ours
            std::this_thread::yield();
        }
        finishing = std::thread(
            [&] { EXPECT_TRUE(recording.recorder->finish(RunState::Finished, 20s).ok()); });
        while (!recording.recorder->closed()) {
            std::this_thread::yield();
        }
    });
    finishing.join();
    const auto before = recording.recorder->stats().errors;
    second = true;
    logging.join();
    EXPECT_EQ(recording.recorder->stats().errors, before + 1);
}

// A recorder whose ring folder is on a disk that can be made full.
struct OnABadDisk {
    explicit OnABadDisk(std::chrono::milliseconds flush_interval = 1ms,
                        std::chrono::milliseconds overflow_wait = 30s) {
        recorder = &Recorder::create(
            {.overflow_wait = overflow_wait, .flush_interval = flush_interval}, {});
        SessionParts parts;
        parts.identity = make_identity("full");
        parts.ring_folder = "fault://" + folder.file("ring");
        EXPECT_TRUE(io::make_directories(parts.ring_folder).ok());
        parts.log = std::make_unique<test::FakeLog>(content);
        recorder->start(std::move(parts)).value();
    }

    ~OnABadDisk() {
        io::FaultCalls::instance()->clear();
        EXPECT_TRUE(recorder->finish(RunState::Finished, 20s).ok());
        recorder->release();
    }

    void log(int values) {
        const std::string_view name = "x";
        auto* row = recorder->keys().row(std::span(&name, 1));
        for (int i = 0; i < values; ++i) {
            const double value = i;
            recorder->log(*row, i, &value);
        }
        EXPECT_TRUE(recorder->flush(false, 20s).ok());
    }

    [[nodiscard]] std::uintmax_t largest_ring() const {
        std::uintmax_t largest = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.file("ring"))) {
            if (entry.path().extension() == ".ring") {
                largest = std::max(largest, entry.file_size());
            }
        }
        return largest;
    }

    test::TemporaryFolder folder;
    std::shared_ptr<test::FakeLogContent> content = std::make_shared<test::FakeLogContent>();
    Recorder* recorder = nullptr;
};

TEST(FirstRecord, FindingR02_TakesASmallerRingWhereABigOneDoesNotFit) {
    OnABadDisk disk;
    io::FaultCalls::instance()->add(
        {.operation = io::Operation::Allocate, .error_number = ENOSPC, .times = 2});
    disk.log(100);
    EXPECT_EQ(disk.content->of("x").size(), 100u);
    EXPECT_GT(disk.largest_ring(), 0u);
    EXPECT_LT(disk.largest_ring(), 256u << 10);
    EXPECT_EQ(disk.recorder->stats().errors, 0u);
}

TEST(FirstRecord, FindingR02_WaitsInMemoryOnAFullDisk) {
    OnABadDisk disk;
    io::FaultCalls::instance()->add({.operation = io::Operation::Allocate, .error_number = ENOSPC});
    disk.log(10'000);
    EXPECT_EQ(disk.content->of("x").size(), 10'000u);
    EXPECT_EQ(disk.recorder->stats().errors, 0u);
    EXPECT_EQ(disk.recorder->stats().gaps, 0u);
}

TEST(FirstRecord, FindingR02_NeedsNoDescriptor) {
    OnABadDisk disk;
    io::FaultCalls::instance()->add(
        {.operation = io::Operation::Open, .error_number = EMFILE, .path_part = ".ring"});
    disk.log(100);
    EXPECT_EQ(disk.content->of("x").size(), 100u);
}

// A training that logs a picture an epoch stood still for half a minute at each of them.
TEST(FirstRecord, FindingR02_PicturesWaitForAFullDiskOnce) {
    OnABadDisk disk(1ms, 100ms);
    io::FaultCalls& calls = *io::FaultCalls::instance();
    calls.add({.operation = io::Operation::Write, .error_number = ENOSPC, .path_part = ".spool"});
    const Bytes picture(100'000);
    const ByteSpan part = picture;
    const auto log = [&] { return disk.recorder->log_bytes(BytesKind::Value, 1, 0, {&part, 1}); };
    EXPECT_FALSE(log());
    const std::uint64_t tried = calls.struck();
    EXPECT_GT(tried, 1u);
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(log());
    }
    EXPECT_EQ(calls.struck(), tried + 5);
    EXPECT_GT(disk.recorder->stats().blocked_ns, 0u);
    calls.clear();
    EXPECT_TRUE(log());
    calls.add({.operation = io::Operation::Write, .error_number = ENOSPC, .path_part = ".spool"});
    EXPECT_FALSE(log());
    EXPECT_GT(calls.struck(), 1u) << "a disk that is full again is waited for again";
    calls.clear();
    std::size_t spools = 0;
    for (const auto& entry : std::filesystem::directory_iterator(disk.folder.file("ring"))) {
        spools += entry.path().extension() == ".spool" ? 1 : 0;
    }
    EXPECT_LE(spools, 1u);
}

/// Room for what a call needs here and there, and none for a ring.
class LittleMemory {
  public:
    LittleMemory() {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        getrlimit(RLIMIT_AS, &before_);
        rlimit little = before_;
        little.rlim_cur = pages * static_cast<std::size_t>(getpagesize()) + (256 << 10);
        setrlimit(RLIMIT_AS, &little);
    }

    ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }

  private:
    rlimit before_{};
};

TEST(FirstRecord, FindingR02_WhatFindsNoPlaceIsAGapInTheLog) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer ends where it gets no memory of its own";
#endif
    OnABadDisk disk(1h);  // its collector sleeps meanwhile
    io::FaultCalls::instance()->add({.operation = io::Operation::Allocate, .error_number = ENOSPC});
    const std::string_view name = "x";
    detail::RowCore* const row = disk.recorder->keys().row(std::span(&name, 1));
    const double value = 1;
    {
        const LittleMemory little;
        for (Step step = 0; step < 3; ++step) {
            disk.recorder->log(*row, step, &value);
        }
    }
    disk.log(2);
    EXPECT_EQ(disk.content->of("x").size(), 2u);
    // Several, where the collector's first look came in between.
    std::uint64_t lost = 0;
    for (const tlog::Gap& gap : disk.content->gaps) {
        lost += gap.lost;
    }
    EXPECT_EQ(lost, 3u);
    EXPECT_EQ(disk.recorder->stats().gaps, 3u);
}

}  // namespace
}  // namespace taffrail::record
