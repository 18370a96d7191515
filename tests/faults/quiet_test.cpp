// A log call allocates nothing and asks the kernel for nothing: counted, not believed.
#include <taffrail/run.h>

#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

thread_local bool counting = false;
thread_local std::uint64_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
    if (counting) {
        ++allocations;
    }
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
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

// A few thousand calls of each form; less than what makes a ring ask for more room.
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

TEST(LogCalls, AllocateNothingAfterTheFirst) {
    test::TemporaryFolder folder;
    taffrail::Run run = taffrail::Run::open(options_in(folder.file("store"))).value();
    Scalar lone = run.scalar("lone");
    Row row = run.row("a", "b", "c");
    log_everything(run, lone, row, 10);
    counting = true;
    log_everything(run, lone, row, 2000);
    counting = false;
    EXPECT_EQ(allocations, 0u);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().gaps, 0u);
}

// The child marks the stretch with two calls to getppid; its parent watches every system call of
// that thread.
TEST(LogCalls, MakeNoSystemCall) {
    test::TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
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
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (!WIFSTOPPED(status)) {
        GTEST_SKIP() << "no right to trace";
    }
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
    int marks = 0;
    std::vector<std::uint64_t> between;
    bool entering = true;
    while (marks < 2) {
        ASSERT_EQ(ptrace(PTRACE_SYSCALL, child, nullptr, nullptr), 0);
        ASSERT_EQ(waitpid(child, &status, __WALL), child);
        ASSERT_TRUE(WIFSTOPPED(status));
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
            continue;
        }
        if (entering) {
            __ptrace_syscall_info info{};
            ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info,
                   &info);
            if (info.entry.nr == SYS_getppid) {
                ++marks;
            } else if (marks == 1) {
                between.push_back(info.entry.nr);
            }
        }
        entering = !entering;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    EXPECT_TRUE(between.empty()) << between.size() << " system calls, the first is number "
                                 << between[0];
}

}  // namespace
}  // namespace taffrail
