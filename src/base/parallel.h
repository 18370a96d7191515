// Independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace taffrail {

/// Calls `work(i)` once for each i below `count`, on at most `threads` threads, the caller's
/// included. The first exception ends the rest early and comes out of this call: one that left a
/// thread would end the program. Where the system gives no more threads, fewer do.
template <typename Work>
void for_each_index(std::size_t count, std::size_t threads, Work&& work) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    const auto loop = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                work(i);
            }
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            failure = failure ? failure : std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        try {
            for (std::size_t t = 1; t < threads && t < count; ++t) {
                helpers.emplace_back(loop);
            }
        } catch (const std::exception&) {
            // No more threads, or no memory for them: those that are there do it.
        }
        loop();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace taffrail
