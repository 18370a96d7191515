// Independent pieces of work on several threads.
#pragma once

#include "base/work_pool.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>

namespace taffrail {

/// Calls `work(i)` once for each i below `count`, on at most `threads` threads, the caller's
/// included; the others are those of the process's pool that are free. The first exception ends the
/// rest early and comes out of this call. A request to stop ends the rest, too: what is under way
/// is finished, nothing else is begun.
template <typename Work>
void for_each_index(std::size_t count, std::size_t threads, Work&& work,
                    const std::stop_token& stop = {}) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    const auto loop = [&] {
        try {
            for (std::size_t i = next++; i < count && !stop.stop_requested(); i = next++) {
                work(i);
            }
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            failure = failure ? failure : std::current_exception();
        }
    };
    const std::size_t useful = std::min(threads, count);
    if (useful < 2) {
        loop();
    } else {
        WorkPool::shared().run(useful - 1, loop);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace taffrail
