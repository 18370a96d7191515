#include "query/groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Groups, BandsFollowTheTextbook) {
    const double samples[] = {1, 2, 4, kNan, 9};
    const GroupPoint deviation = join(samples, Centre::Mean, Band::StandardDeviation);
    EXPECT_EQ(deviation.samples, 4u);
    EXPECT_DOUBLE_EQ(deviation.centre, 4);
    EXPECT_NEAR(deviation.high - deviation.centre, std::sqrt(38.0 / 3), 1e-12);
    const GroupPoint error = join(samples, Centre::Mean, Band::StandardError);
    EXPECT_NEAR(error.high - error.centre, std::sqrt(38.0 / 3) / 2, 1e-12);
    const GroupPoint confidence = join(samples, Centre::Mean, Band::Confidence95);
    EXPECT_NEAR(confidence.high - confidence.centre, 3.182446305284263 * std::sqrt(38.0 / 3) / 2,
                1e-9);
    const GroupPoint range = join(samples, Centre::Median, Band::MinMax);
    EXPECT_EQ(range.centre, 3);
    EXPECT_EQ(range.low, 1);
    EXPECT_EQ(range.high, 9);
}

// Published quantiles of Student's distribution.
TEST(Groups, StudentQuantilesMatchTables) {
    EXPECT_NEAR(student_t_975(1), 12.706204736, 1e-6);
    EXPECT_NEAR(student_t_975(2), 4.30265273, 1e-7);
    EXPECT_NEAR(student_t_975(10), 2.22813885, 1e-7);
    EXPECT_NEAR(student_t_975(1000), 1.96233908, 1e-6);
}

TEST(Groups, OneRunHasNoSpreadAndNoRunHasNothing) {
    const double one[] = {5};
    const GroupPoint point = join(one, Centre::Mean, Band::Confidence95);
    EXPECT_EQ(point.low, 5);
    EXPECT_EQ(point.high, 5);
    EXPECT_TRUE(std::isnan(join({}, Centre::Mean, Band::None).centre));
}

}  // namespace
}  // namespace taffrail::query
