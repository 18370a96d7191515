// A log call allocates nothing and asks the kernel for nothing: counted, not believed.
#include <taffrail/run.h>

#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

namespace {

thread_local bool counting = false;
thread_local std::uint64_t allocations = 0;

void count_one() noexcept {
    allocations += counting ? 1 : 0;
}

}  // namespace

// Every form of operator new, and whatever C code asks for, ends in one of these.
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

void* malloc(std::size_t size) noexcept {
    count_one();
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    count_one();
    return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
    count_one();
    return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    count_one();
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    count_one();
    *memory = __libc_memalign(alignment, size);
    return *memory != nullptr ? 0 : ENOMEM;
}
}

namespace taffrail {
namespace {

RunOptions options_in(const std::string& root) {
    RunOptions options;
    options.root = root;
    options.environment = false;
    options.machine_load.reset();
    return options;
}

// Each form of call. A stretch is more than half of a thread's first ring, and less than all of it:
// past the quarter at which a sleeping collector is woken, and never so much that a slow machine's
// collector could fall behind.
constexpr int kStretch = 6000, kStretches = 8;
constexpr std::size_t kQuartersOfAStretch = 4;

void log_everything(Run& run, Scalar lone, Row row, int rounds) {
    const std::pair<std::string_view, double> named[] = {{"n/a", 1.0}, {"n/b", 2.0}};
    for (int i = 0; i < rounds; ++i) {
        lone.log(1.0, i);
        lone.log(1.0);
        row.log(i, 1.0, 2.0, 3.0);
        run.log("by/name", 1.0, i);
        run.log(named, i);
    }
}

std::uint64_t allocations_of(const std::function<void()>& work) {
    allocations = 0;
    counting = true;
    work();
    counting = false;
    return allocations;
}

// The counter itself: a form it does not see would make the test below say nothing.
TEST(LogCalls, AllocationsOfEveryFormAreCounted) {
    struct alignas(64) Wide {
        double values[8];
    };

    void* volatile kept = nullptr;  // so that no pair of new and delete is left out
    EXPECT_EQ(allocations_of([&] { kept = ::operator new(8); }), 1u);
    ::operator delete(kept);
    EXPECT_EQ(allocations_of([&] { kept = ::operator new[](8); }), 1u);
    ::operator delete[](kept);
    EXPECT_EQ(allocations_of([&] { kept = ::operator new(8, std::nothrow); }), 1u);
    ::operator delete(kept);
    EXPECT_EQ(allocations_of([&] { kept = ::operator new(64, std::align_val_t(64)); }), 1u);
    ::operator delete(kept, std::align_val_t(64));
    EXPECT_EQ(allocations_of([&] { kept = new Wide[2]; }), 1u);
    delete[] static_cast<Wide*>(kept);
    EXPECT_EQ(allocations_of([&] { kept = std::malloc(8); }), 1u);
    EXPECT_GE(allocations_of([&] { kept = std::realloc(kept, 1 << 20); }), 1u);
    std::free(kept);
    EXPECT_EQ(allocations_of([&] { kept = std::calloc(2, 8); }), 1u);
    std::free(kept);
    EXPECT_EQ(allocations_of([] {}), 0u);
}

TEST(LogCalls, AllocateNothingAfterTheFirst) {
    test::TemporaryFolder folder;
    taffrail::Run run = taffrail::Run::open(options_in(folder.file("store"))).value();
    Scalar lone = run.scalar("lone");
    Row row = run.row("a", "b", "c");
    log_everything(run, lone, row, 10);
    for (int stretch = 0; stretch < kStretches; ++stretch) {
        EXPECT_EQ(allocations_of([&] { log_everything(run, lone, row, kStretch); }), 0u);
        ASSERT_TRUE(run.flush().ok());
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().gaps, 0u);
}

struct SystemCall {
    std::uint64_t number = 0, second_argument = 0;
};

/// Runs a child that marks stretches with calls of getppid, and gives the calls of its main thread
/// within each. Empty: no right to trace.
std::vector<std::vector<SystemCall>> calls_within_marks(const std::function<void()>& child_work,
                                                        int stretches) {
    const pid_t child = fork();
    if (child == 0) {
        child_work();
        _exit(0);
    }
    int status = 0;
    std::vector<std::vector<SystemCall>> within;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        return within;
    }
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
    bool entering = true, inside = false;
    while (inside || static_cast<int>(within.size()) < stretches) {
        if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 ||
            waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) {
            ADD_FAILURE() << "the child ended in stretch " << within.size();
            return within;
        }
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
            continue;
        }
        if (entering) {
            __ptrace_syscall_info info{};
            ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info,
                   &info);
            if (info.entry.nr == SYS_getppid) {
                inside = !inside;
                if (inside) {
                    within.emplace_back();
                }
            } else if (inside) {
                within.back().push_back({info.entry.nr, info.entry.args[1]});
            }
        }
        entering = !entering;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return within;
}

// Four rings' worth of calls. All they ask of the kernel is to wake a collector that sleeps, once
// at each quarter of a ring; docs/design/recording.md says so.
TEST(LogCalls, MakeNoSystemCallButToWakeASleepingCollectorAtEachQuarterOfARing) {
    test::TemporaryFolder folder;
    const auto stretches = calls_within_marks(
        [&] {
            taffrail::Run run = init(options_in(folder.file("store")));
            Scalar lone = run.scalar("lone");
            Row row = run.row("a", "b", "c");
            log_everything(run, lone, row, 10);
            if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
                _exit(77);
            }
            raise(SIGSTOP);
            for (int stretch = 0; stretch < kStretches; ++stretch) {
                syscall(SYS_getppid);
                log_everything(run, lone, row, kStretch);
                syscall(SYS_getppid);
                (void)run.flush();  // the ring is empty again
            }
        },
        kStretches);
    if (stretches.empty()) {
        GTEST_SKIP() << "no right to trace";
    }
    ASSERT_EQ(stretches.size(), static_cast<std::size_t>(kStretches));
    for (const auto& calls : stretches) {
        EXPECT_LE(calls.size(), kQuartersOfAStretch);
        for (const SystemCall& call : calls) {
            EXPECT_EQ(call.number, static_cast<std::uint64_t>(SYS_futex));
            EXPECT_EQ(call.second_argument & FUTEX_CMD_MASK,
                      static_cast<std::uint64_t>(FUTEX_WAKE));
        }
    }
}

// Less than a quarter of a ring: nothing at all.
TEST(LogCalls, MakeNoSystemCallInAShortBurst) {
    test::TemporaryFolder folder;
    const auto stretches = calls_within_marks(
        [&] {
            taffrail::Run run = init(options_in(folder.file("store")));
            Scalar lone = run.scalar("lone");
            Row row = run.row("a", "b", "c");
            log_everything(run, lone, row, 10);
            if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
                _exit(77);
            }
            raise(SIGSTOP);
            syscall(SYS_getppid);
            log_everything(run, lone, row, 200);
            syscall(SYS_getppid);
        },
        1);
    if (stretches.empty()) {
        GTEST_SKIP() << "no right to trace";
    }
    EXPECT_TRUE(stretches[0].empty())
        << stretches[0].size() << " system calls, the first is number " << stretches[0][0].number;
}

}  // namespace
}  // namespace taffrail
