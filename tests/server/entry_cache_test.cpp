#include "server/entry_cache.h"

#include "query/fake_run.h"

#include <gtest/gtest.h>

#include <thread>

namespace taffrail::server {
namespace {

using query::FakeRun;

class EntryCaches : public testing::Test {
  protected:
    EntryCaches() {
        for (const char* key : {"a", "b", "c"}) {
            run_.values[key].resize(10);
        }
    }

    FakeRun run_;
};

TEST_F(EntryCaches, ReadAKeyOnceUntilItsRunChanges) {
    EntryCache cache;
    const auto first = cache.get("run", run_, "a").value();
    EXPECT_EQ(cache.get("run", run_, "a").value(), first);
    EXPECT_EQ(run_.reads, 1);
    run_.values["a"].resize(11);
    run_.changes = 2;
    EXPECT_EQ(cache.get("run", run_, "a").value()->size(), 11u);
    EXPECT_EQ(first->size(), 10u) << "who still holds the old list keeps it";
    EXPECT_EQ(run_.reads, 2);
}

TEST_F(EntryCaches, KeepRunsApartByTheirIds) {
    EntryCache cache;
    FakeRun other;
    other.values["a"].resize(3);
    EXPECT_EQ(cache.get("run", run_, "a").value()->size(), 10u);
    EXPECT_EQ(cache.get("other", other, "a").value()->size(), 3u);
    EXPECT_EQ(cache.get("run", run_, "a").value()->size(), 10u);
    EXPECT_EQ(run_.reads + other.reads, 2);
}

TEST_F(EntryCaches, ForgetTheKeyThatWasUsedLongestAgo) {
    EntryCache cache(25);
    (void)cache.get("run", run_, "a");
    (void)cache.get("run", run_, "b");
    (void)cache.get("run", run_, "a");  // used again: b is the oldest now
    (void)cache.get("run", run_, "c");
    EXPECT_EQ(run_.reads, 3);
    (void)cache.get("run", run_, "a");
    EXPECT_EQ(run_.reads, 3) << "a and c fit";
    (void)cache.get("run", run_, "b");
    EXPECT_EQ(run_.reads, 4) << "b had to go";
}

// A key with more entries than the limit is kept alone: a slider over it still costs one read.
TEST_F(EntryCaches, KeepOneKeyHoweverLarge) {
    EntryCache cache(5);
    (void)cache.get("run", run_, "a");
    (void)cache.get("run", run_, "a");
    EXPECT_EQ(run_.reads, 1);
}

TEST_F(EntryCaches, PassErrorsOnAndKeepNone) {
    EntryCache cache;
    EXPECT_FALSE(cache.get("run", run_, "absent").ok());
    run_.values["absent"].resize(1);
    EXPECT_TRUE(cache.get("run", run_, "absent").ok());
}

TEST_F(EntryCaches, ServeManyThreads) {
    EntryCache cache(15);
    std::vector<std::thread> threads;
    const FakeRun apart[4] = {run_, run_, run_, run_};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                const auto read =
                    cache.get("run" + std::to_string(t), apart[t], i % 2 == 0 ? "a" : "b");
                ASSERT_EQ(read.value()->size(), 10u);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace
}  // namespace taffrail::server
