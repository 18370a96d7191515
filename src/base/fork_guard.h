// Locks that a forked child needs whole: fork() copies them as they are, held by threads the child
// does not have.
#pragma once

#include <pthread.h>

#include <mutex>

namespace taffrail {

/// Holds `mutex()` over every fork() from now on; call once per mutex. Handlers of later calls take
/// their locks first, so a lock that is taken while others are held is registered before those.
template <std::mutex& (*mutex)()>
void guard_over_fork() noexcept {
    static const int registered =
        pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); }, [] { mutex().unlock(); });
    (void)registered;
}

/// The one of diagnostics.h.
void guard_diagnostics_over_fork() noexcept;

}  // namespace taffrail
