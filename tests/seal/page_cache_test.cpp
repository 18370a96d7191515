#include "seal/page_cache.h"

#include <gtest/gtest.h>

namespace taffrail::seal {
namespace {

PageCache::Page page_of(std::size_t rows) {
    parquet::DecodedColumn column;
    for (std::size_t row = 0; row < rows; ++row) {
        column.doubles.push_back(0.1 * static_cast<double>(row));
    }
    return std::make_shared<const PageValues>(std::move(column));
}

TEST(PageCaches, HoldAsMuchForManyFilesAsForOne) {
    const std::size_t page_bytes = page_of(1000)->bytes();
    PageCache cache(10 * page_bytes);
    for (int i = 0; i < 1000; ++i) {
        cache.keep(cache.next_file(), 0, 0, page_of(1000));
    }
    EXPECT_EQ(cache.bytes(), 10 * page_bytes);
    EXPECT_EQ(cache.find(990, 0, 0), nullptr);
    EXPECT_NE(cache.find(991, 0, 0), nullptr) << "the last ten are there";
}

TEST(PageCaches, DropThePageUsedLongestAgo) {
    PageCache cache(2 * page_of(100)->bytes());
    const PageCache::Page first = page_of(100);
    cache.keep(1, 0, 0, first);
    cache.keep(1, 0, 1, page_of(100));
    EXPECT_EQ(cache.find(1, 0, 0), first);
    cache.keep(1, 1, 0, page_of(100));
    EXPECT_EQ(cache.find(1, 0, 1), nullptr);
    EXPECT_EQ(cache.find(1, 0, 0), first);
    EXPECT_NE(cache.find(1, 1, 0), nullptr);
}

TEST(PageCaches, ForgetTheFileThatIsClosed) {
    PageCache cache(1 << 20);
    for (const std::uint64_t file : {1u, 2u, 3u}) {
        cache.keep(file, 0, 0, page_of(10));
        cache.keep(file, 7, 3, page_of(10));
    }
    cache.forget(2);
    EXPECT_EQ(cache.find(2, 0, 0), nullptr);
    EXPECT_EQ(cache.find(2, 7, 3), nullptr);
    EXPECT_NE(cache.find(1, 7, 3), nullptr);
    EXPECT_NE(cache.find(3, 0, 0), nullptr);
    EXPECT_EQ(cache.bytes(), 4 * page_of(10)->bytes());
}

TEST(PageCaches, LetGoOfPagesThatNobodyUsedForSomeTurns) {
    PageCache cache(1 << 20);
    const PageCache::Page held = page_of(10);
    cache.keep(1, 0, 0, held);
    cache.keep(1, 0, 1, page_of(10));
    for (int turn = 0; turn < 3; ++turn) {
        cache.forget_unused_for(3);
        EXPECT_EQ(cache.find(1, 0, 0), held);
    }
    EXPECT_EQ(cache.bytes(), 2 * held->bytes()) << "three turns are not yet more than three";
    cache.forget_unused_for(3);
    EXPECT_EQ(cache.find(1, 0, 1), nullptr);
    EXPECT_EQ(cache.find(1, 0, 0), held);
    for (int turn = 0; turn < 4; ++turn) {
        cache.forget_unused_for(3);
    }
    EXPECT_EQ(cache.bytes(), 0u);
    EXPECT_EQ(held->bytes(), page_of(10)->bytes()) << "whoever holds a page keeps it";
}

}  // namespace
}  // namespace taffrail::seal
