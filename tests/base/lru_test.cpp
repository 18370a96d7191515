#include "base/lru.h"

#include <gtest/gtest.h>

#include <string>

namespace taffrail {
namespace {

TEST(LruTest, DropsWhatWasUsedLongestAgoUntilTheRestFits) {
    Lru<std::string, int> kept(10);
    kept.keep("a", 1, 4);
    kept.keep("b", 2, 4);
    ASSERT_NE(kept.find("a"), nullptr);
    kept.keep("c", 3, 4);
    EXPECT_FALSE(kept.contains("b"));
    EXPECT_EQ(*kept.find("a"), 1);
    EXPECT_EQ(*kept.find("c"), 3);
    EXPECT_EQ(kept.weight(), 8u);
}

TEST(LruTest, KeepsOneThatIsHeavierThanTheLimitAlone) {
    Lru<std::string, int> kept(10);
    kept.keep("a", 1, 4);
    kept.keep("heavy", 2, 50);
    EXPECT_FALSE(kept.contains("a"));
    EXPECT_EQ(*kept.find("heavy"), 2);
    kept.keep("heavy", 3, 5);
    EXPECT_EQ(*kept.find("heavy"), 3);
    EXPECT_EQ(kept.weight(), 5u) << "in place of the old one";
}

TEST(LruTest, DropsByNameByRangeAndByAge) {
    Lru<int, char> kept(100);
    EXPECT_EQ(kept.oldest(), nullptr);
    for (int name = 0; name < 6; ++name) {
        kept.keep(name, static_cast<char>('a' + name), 1);
    }
    kept.drop(5);
    kept.drop(5);
    kept.drop_range(1, 3);
    EXPECT_TRUE(kept.contains(0) && !kept.contains(1) && !kept.contains(2) && kept.contains(3));
    EXPECT_EQ(*kept.oldest(), 'a');
    kept.drop_oldest();
    EXPECT_EQ(*kept.oldest(), 'd');
    EXPECT_EQ(kept.weight(), 2u);
}

}  // namespace
}  // namespace taffrail
