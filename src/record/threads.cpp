#include "record/threads.h"

#include <pthread.h>

#include <csignal>

namespace taffrail::record {

std::thread start_quiet_thread(const char* name, std::function<void()> body) {
    // A new thread inherits the mask, so it never runs a moment with signals open.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread thread(std::move(body));
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        pthread_setname_np(thread.native_handle(), name);
        return thread;
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
}

}  // namespace taffrail::record
