#include "base/key_order.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

using namespace taffrail;

TEST(KeyOrder, FindsNamesInAnyOrder) {
    std::deque<int> values = {0, 1, 2, 3};
    const std::string names[] = {"a", "b", "", "a longer one than a string holds inside"};
    KeyOrder<int> order;
    EXPECT_EQ(order.find("a"), nullptr);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(&order.add(names[i], values[static_cast<std::size_t>(i)]),
                  &values[static_cast<std::size_t>(i)]);
    }
    for (const int i : {0, 1, 2, 3, 0, 1, 3, 2, 2, 0, 3, 3, 1, 0}) {
        int* found = order.find(names[i]);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(*found, i);
    }
    EXPECT_EQ(order.find("c"), nullptr);
    EXPECT_EQ(*order.find("b"), 1) << "a name that is not known changes nothing";
    order.clear();
    EXPECT_EQ(order.find("a"), nullptr);
}
