#include "base/quiet_thread.h"

#include <pthread.h>

#include <csignal>

namespace taffrail {

std::thread start_quiet_thread(const char* name, std::function<void()> body) {
    // A new thread inherits the mask, so it never runs a moment with signals open.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread thread([name, work = std::move(body)] {
            pthread_setname_np(pthread_self(), name);
            work();
        });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return thread;
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
}

}  // namespace taffrail
