// Makes fork() safe in test programs that are built with GCC's AddressSanitizer.
//
// glibc hands its allocator over whole to a forked child. The allocator of this sanitizer does not
// (Clang's does, since version 16): a child that was forked while another thread allocated waits
// for that thread's lock for ever. Tests of runs fork beside the recording thread, so they take the
// sanitizer's own locks around each fork. The functions are its internal ones, which is why these
// programs link it statically; they cannot load modules that bring another copy (the video one).
#include <pthread.h>

namespace __lsan {  // NOLINT(bugprone-reserved-identifier)
void LockThreadRegistry();
void UnlockThreadRegistry();
void LockAllocator();
void UnlockAllocator();
}  // namespace __lsan

namespace __sanitizer {  // NOLINT(bugprone-reserved-identifier)
void StackDepotLockAll();
void StackDepotUnlockAll();
}  // namespace __sanitizer

namespace {

void lock() {
    __lsan::LockThreadRegistry();
    __lsan::LockAllocator();
    __sanitizer::StackDepotLockAll();
}

void unlock() {
    __sanitizer::StackDepotUnlockAll();
    __lsan::UnlockAllocator();
    __lsan::UnlockThreadRegistry();
}

// Before every other handler is registered: the first one locks last and unlocks first, so that the
// others may allocate.
__attribute__((constructor(101))) void guard_forks() {
    pthread_atfork(lock, unlock, unlock);
}

}  // namespace
