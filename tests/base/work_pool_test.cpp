#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace taffrail {
namespace {

TEST(WorkPool, EveryIndexOnceHoweverDeep) {
    std::vector<std::atomic<int>> seen(64 * 64);
    for_each_index(64, 8, [&](std::size_t i) {
        for_each_index(64, 8, [&](std::size_t j) { ++seen[i * 64 + j]; });
    });
    for (const auto& count : seen) {
        ASSERT_EQ(count, 1);
    }
    EXPECT_LE(WorkPool::shared().threads() + 1, std::max(2u, std::thread::hardware_concurrency()))
        << "questions inside questions start no more threads";
}

TEST(WorkPool, HelpersComeWhileTheCallerWorks) {
    WorkPool pool(1);
    std::atomic<int> here = 0;
    std::atomic<bool> both = false;
    pool.run(1, [&] {
        ++here;
        // Whoever comes first waits for the other one: two threads are at it.
        while (here < 2) {
            std::this_thread::yield();
        }
        both = true;
    });
    EXPECT_TRUE(both);
    EXPECT_EQ(pool.threads(), 1u);
}

TEST(WorkPool, ARequestToStopEndsTheRest) {
    std::stop_source stop;
    std::size_t done = 0;
    for_each_index(
        1000, 1,
        [&](std::size_t i) {
            ++done;
            if (i == 10) {
                stop.request_stop();
            }
        },
        stop.get_token());
    EXPECT_EQ(done, 11u);
    std::atomic<std::size_t> begun = 0;
    for_each_index(1000, 4, [&](std::size_t) { ++begun; }, stop.get_token());
    EXPECT_EQ(begun, 0u);
}

TEST(WorkPool, WhatIsThrownComesOutOfTheCall) {
    EXPECT_THROW(for_each_index(100, 4,
                                [](std::size_t i) {
                                    if (i == 7) {
                                        throw std::runtime_error("seven");
                                    }
                                }),
                 std::runtime_error);
    std::atomic<int> after = 0;
    for_each_index(10, 4, [&](std::size_t) { ++after; });
    EXPECT_EQ(after, 10);
}

}  // namespace
}  // namespace taffrail
