#include "trainer/signals.h"

#include "terminal/screen.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

namespace taffrail::trainer {

namespace {

std::atomic<int> arrived{0};
std::mutex scopes_mutex;
int scopes = 0;
struct sigaction before_interrupt;
struct sigaction before_terminate;
std::atomic<int> late{0};  // a signal that is still to come: its handler stays behind the scope

void chain(const struct sigaction& before, int signal) {
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN &&
        (before.sa_flags & SA_SIGINFO) == 0) {
        before.sa_handler(signal);
    }
}

void say(const char* text) {
    // Where bars are drawn, whoever draws them says it: written here, it would move them off their
    // lines. Else write() is all a handler may use; the newline leaves the line on which the
    // terminal shows ^C.
    if (!terminal::Screen::post(text)) {
        static_cast<void>(::write(STDERR_FILENO, "\n", 1) == 0);
        static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)) == 0);
    }
}

void on_signal(int signal) {
    if (signal == SIGINT && arrived.load() == SIGINT) {
        ::signal(SIGINT, SIG_DFL);
        ::raise(SIGINT);
        return;
    }
    arrived.store(signal);
    if (signal == SIGINT) {
        say("taffrail: stopping after this batch; press Ctrl-C again to stop at once\n");
        chain(before_interrupt, signal);
    } else {
        say("taffrail: asked to terminate; stopping after this batch\n");
        chain(before_terminate, signal);
    }
}

// What the other ranks told already. Whoever sends it again means this process.
void on_late_signal(int signal) {
    late.store(0);
    ::sigaction(signal, signal == SIGINT ? &before_interrupt : &before_terminate, nullptr);
}

}  // namespace

SignalScope::SignalScope(bool active) : active_(active) {
    if (!active_) {
        return;
    }
    const std::lock_guard lock(scopes_mutex);
    if (scopes++ > 0) {
        return;
    }
    arrived.store(0);
    if (const int expected = late.load(); expected != 0) {
        on_late_signal(expected);
    }
    struct sigaction action{};
    action.sa_handler = on_signal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, &before_interrupt);
    ::sigaction(SIGTERM, &action, &before_terminate);
}

SignalScope::~SignalScope() {
    if (!active_) {
        return;
    }
    const std::lock_guard lock(scopes_mutex);
    if (--scopes > 0) {
        return;
    }
    if (arrived.load() != 0) {
        late.store(0);
    }
    const int expected = late.load();
    if (expected != 0) {
        struct sigaction action{};
        action.sa_handler = on_late_signal;
        ::sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        ::sigaction(expected, &action, nullptr);
    }
    if (expected != SIGINT) {
        ::sigaction(SIGINT, &before_interrupt, nullptr);
    }
    if (expected != SIGTERM) {
        ::sigaction(SIGTERM, &before_terminate, nullptr);
    }
}

void SignalScope::expect_late(int signal) noexcept {
    const std::lock_guard lock(scopes_mutex);
    if (active_ && (signal == SIGINT || signal == SIGTERM)) {
        late.store(signal);
    }
}

int pending_signal() noexcept {
    return arrived.load();
}

std::string name_signal(int signal) {
    return signal == SIGINT    ? "Ctrl-C (SIGINT)"
           : signal == SIGTERM ? "SIGTERM"
                               : "signal " + std::to_string(signal);
}

}  // namespace taffrail::trainer
