#include "rocksdb/store.h"

#include "../test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

using namespace taffrail;
using rocksdb::Access;
using rocksdb::Store;
using testing::Contains;
using testing::Not;

namespace {

class RocksdbStore : public testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<Store> open(Access access = Access::Write) const {
        auto opened = Store::open(folder_ / "db", access);
        return opened.ok() ? *std::move(opened) : nullptr;
    }

    void put(Store& store, const std::string& key, const std::string& value) {
        store.put(key, value);
        expected_[key] = value;
    }

    /// More than is worth a file of its own, in an order that is not that of the keys.
    void put_many(Store& store, int round) {
        for (int i = 0; i < 60'000; ++i) {
            const int number = i * 7919 % 60'000;
            put(store, "a long beginning that all of the keys have/" + std::to_string(number),
                "a value of some length " + std::to_string(number + round));
        }
    }

    static std::map<std::string, std::string> content_of(Store& store,
                                                         std::string_view prefix = {}) {
        std::map<std::string, std::string> content;
        std::string before;
        EXPECT_TRUE(store
                        .scan(prefix,
                              [&](std::string_view key, std::string_view value) {
                                  EXPECT_LT(before, key);
                                  before = key;
                                  content.emplace(key, value);
                                  return true;
                              })
                        .ok());
        return content;
    }

    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "db")) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }

    [[nodiscard]] std::size_t sorted_files() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            files(), [](const std::string& name) { return name.ends_with(".sst"); }));
    }

    test::TestFolder folder_;
    std::map<std::string, std::string> expected_;
};

TEST_F(RocksdbStore, FewWritesGoThroughTheLog) {
    auto store = open();
    ASSERT_NE(store, nullptr);
    put(*store, "b", "1");
    put(*store, "a", "2");
    put(*store, "b", "3");
    ASSERT_TRUE(store->write_out().ok());
    EXPECT_EQ(store->pending_bytes(), 0u);
    EXPECT_EQ(sorted_files(), 0u);
    EXPECT_EQ(content_of(*store), expected_);
    EXPECT_EQ(content_of(*open(Access::Read)), expected_) << "also while it is open";
}

TEST_F(RocksdbStore, ManyWritesAreOneSortedFile) {
    auto store = open();
    ASSERT_NE(store, nullptr);
    put_many(*store, 0);
    put(*store, "twice", "first");
    put(*store, "empty", "");
    put(*store, "twice", "second");
    ASSERT_TRUE(store->write_out().ok());
    EXPECT_EQ(store->pending_bytes(), 0u);
    EXPECT_EQ(sorted_files(), 1u);
    EXPECT_THAT(files(), Not(Contains("unfinished.sorted")));
    EXPECT_EQ(content_of(*store), expected_);
    EXPECT_EQ(content_of(*open(Access::Read)), expected_) << "also while it is open";
    EXPECT_EQ(content_of(*store, "tw"), (std::map<std::string, std::string>{{"twice", "second"}}));
}

TEST_F(RocksdbStore, TheNewestCountsHoweverItCame) {
    auto store = open();
    ASSERT_NE(store, nullptr);
    put(*store, "a long beginning that all of the keys have/17", "few, before");
    put(*store, "other", "few, before");
    ASSERT_TRUE(store->write_out().ok());
    put_many(*store, 1);
    ASSERT_TRUE(store->write_out().ok());
    put(*store, "a long beginning that all of the keys have/18", "few, behind");
    ASSERT_TRUE(store->write_out().ok());
    EXPECT_EQ(content_of(*store), expected_);
    put_many(*store, 2);
    put(*store, "a long beginning that all of the keys have/19", "last");
    ASSERT_TRUE(store->write_out().ok());
    EXPECT_EQ(content_of(*store), expected_);
    ASSERT_TRUE(store->flush().ok());
    store.reset();
    EXPECT_EQ(content_of(*open(Access::Read)), expected_);
}

TEST_F(RocksdbStore, WhatAKilledProcessLeftIsRemoved) {
    auto store = open();
    ASSERT_NE(store, nullptr);
    put_many(*store, 0);
    ASSERT_TRUE(store->write_out().ok());
    store.reset();
    folder_.write("db/unfinished.sorted", "half a file");
    EXPECT_EQ(content_of(*open(Access::Read)), expected_);
    EXPECT_THAT(files(), Contains("unfinished.sorted")) << "a reader removes nothing";
    store = open();
    EXPECT_THAT(files(), Not(Contains("unfinished.sorted")));
    put_many(*store, 1);
    ASSERT_TRUE(store->write_out().ok());
    EXPECT_EQ(content_of(*store), expected_);
}

}  // namespace
