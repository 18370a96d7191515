// Sleeping on a 32-bit word, with a time limit.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace taffrail::record {

/// Sleeps while `word` holds `expected`, at most `limit`. May return early for no reason.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::chrono::nanoseconds limit) noexcept {
    timespec time{};
    time.tv_sec = limit.count() / 1'000'000'000;
    time.tv_nsec = limit.count() % 1'000'000'000;
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace taffrail::record
