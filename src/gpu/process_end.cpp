// A signal handler may do next to nothing, and the interrupted thread may hold any lock of CUDA: it
// wakes a thread that waits for that alone, and the program runs on until that thread is done.
#include "gpu/process_end.h"

#include "base/quiet_thread.h"
#include "base/signal_watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

namespace taffrail::gpu {
namespace {

// Launchers pass the signal on that the terminal has sent already: that is one request, not two.
constexpr std::int64_t kOneRequestNs = 5'000'000'000;

void (*finish)(ProcessEnd) = nullptr;
std::atomic<pid_t> armed_in{0};
std::atomic<int> arrived{0};
std::atomic<std::int64_t> arrived_ns{0};
sem_t wake;

void end(ProcessEnd how) noexcept {
    if (armed_in.load() != ::getpid()) {
        return;
    }
    // Kept for good: threads may still come while the process ends.
    static std::mutex* turn = new std::mutex;
    static bool is_over = false;
    const std::lock_guard guard(*turn);
    if (is_over) {
        return;
    }
    is_over = how == ProcessEnd::Whole;
    try {
        finish(how);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "taffrail: the GPU trace is not kept: %s\n", failure.what());
    }
}

void end_whole() {
    end(ProcessEnd::Whole);
}

void end_of_interpreter() {
    end(ProcessEnd::Interpreter);
}

void wait_for_signal() {
    while (::sem_wait(&wake) != 0) {
    }
    end_whole();
    const int signal = arrived.load();
    ::signal(signal, SIG_DFL);
    sigset_t it;
    ::sigemptyset(&it);
    ::sigaddset(&it, signal);
    ::pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
    ::raise(signal);
}

std::int64_t now_ns() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void on_signal(int signal, siginfo_t*, void*) {
    const int error = errno;
    const std::int64_t now = now_ns();
    std::int64_t first = 0;
    if (armed_in.load() != ::getpid()) {
        ::signal(signal, SIG_DFL);
        ::raise(signal);
    } else if (arrived_ns.compare_exchange_strong(first, now)) {
        arrived.store(signal);
        ::sem_post(&wake);
    } else if (now - first > kOneRequestNs) {
        ::signal(signal, SIG_DFL);
        ::raise(signal);
    }
    errno = error;
}

/// Python has a handler of its own for Ctrl-C. Where the program does not catch the interrupt,
/// Python ends by that very signal once its interpreter is gone, and nothing else is called.
void watch_interpreter() {
    const auto is_there = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
    const auto at_exit = reinterpret_cast<int (*)(void (*)())>(::dlsym(RTLD_DEFAULT, "Py_AtExit"));
    if (is_there != nullptr && at_exit != nullptr && is_there() != 0) {
        (void)at_exit(end_of_interpreter);
    }
}

}  // namespace

void at_process_end(void (*to_call)(ProcessEnd)) noexcept {
    finish = to_call;
    armed_in.store(::getpid());
    std::atexit(end_whole);
    watch_interpreter();
    ::sem_init(&wake, 0, 0);
    try {
        // It takes no signals: the handler must not wait for itself.
        start_quiet_thread("taffrail-ends", wait_for_signal).detach();
    } catch (const std::exception&) {
        return;  // the trace is written when the program ends by itself
    }
    for (const int signal : kEndingSignals) {
        watch_signal(signal, on_signal);
    }
}

}  // namespace taffrail::gpu
