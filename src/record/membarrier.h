// A barrier in all threads of this process: what they stored before is seen by this one, what they
// load later is what this one stored before. It puts the cost of a rare question (is anybody still
// inside?) on the asker and takes it off every log call.
#pragma once

#include <linux/membarrier.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace taffrail::record {

/// A process has to announce itself before its first barrier. With one thread that costs nothing;
/// with several the kernel waits for every processor, which is milliseconds: then it is left to the
/// first barrier.
inline void announce_barriers() noexcept {
    constexpr nlink_t kOneThread = 3;  // a folder has two links, and one for each folder in it
    struct stat tasks{};
    if (::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == kOneThread) {
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    }
}

/// False where the kernel, or a sandbox, does not offer it.
inline bool barrier_in_all_threads() noexcept {
    const auto call = [](int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; };
    // Whoever did not announce itself does it now.
    return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
           (errno == EPERM && call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
            call(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

}  // namespace taffrail::record
