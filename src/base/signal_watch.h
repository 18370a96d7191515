// Being told of signals that end the process, without taking them from the program.
#pragma once

#include <array>
#include <csignal>

namespace taffrail {

inline constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

/// `handler` hears of the signal where the program left it to the system, which then would end the
/// process: the handler sees to that. With SA_SIGINFO, since those who chain plain handlers, such
/// as a Trainer, want to go on afterwards.
inline void watch_signal(int signal, void (*handler)(int, siginfo_t*, void*)) noexcept {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) {
        return;
    }
    struct sigaction ours{};
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
}

}  // namespace taffrail
