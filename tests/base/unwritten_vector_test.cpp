#include "base/unwritten_vector.h"

#include <gtest/gtest.h>

#include <numeric>

namespace taffrail {
namespace {

TEST(UnwrittenVector, KeepsWhatIsWrittenThroughCopiesAndGrowth) {
    constexpr std::size_t kLarge = kLargeBytes / sizeof(double);
    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{1} << 19,
                                    kLarge - 1, kLarge, 3 * kLarge + 5}) {
        UnwrittenVector<double> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 1.0);
        const UnwrittenVector<double> copy(numbers.begin(), numbers.end());
        numbers.push_back(0.5);  // moves to another place
        ASSERT_EQ(numbers.size(), count + 1);
        EXPECT_EQ(numbers.back(), 0.5);
        numbers.pop_back();
        EXPECT_EQ(numbers, copy) << count;
    }
}

TEST(UnwrittenVector, WritesAValueThatIsAskedFor) {
    UnwrittenVector<int> numbers(2, 5);
    numbers.resize(4, 7);
    EXPECT_EQ(numbers, (UnwrittenVector<int>{5, 5, 7, 7}));
}

}  // namespace
}  // namespace taffrail
