// A barrier in all threads of this process: what they stored before is seen by this one, what they
// load later is what this one stored before. It puts the cost of a rare question (is anybody still
// inside?) on the asker and takes it off every log call.
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace taffrail::record {

/// False where the kernel, or a sandbox, does not offer it.
inline bool barrier_in_all_threads() noexcept {
    const auto call = [](int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; };
    // The first call of a process has to announce itself.
    return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
           (errno == EPERM && call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
            call(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

}  // namespace taffrail::record
