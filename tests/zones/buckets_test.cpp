#include "zones/buckets.h"

#include "zones/named_sites.h"

#include <gtest/gtest.h>

#include <random>

namespace taffrail::zones {
namespace {

TEST(ZoneBuckets, EveryDurationHasOneAndTheyRise) {
    std::mt19937_64 random(4);
    for (int trial = 0; trial < 100'000; ++trial) {
        const std::uint64_t ticks = random() >> (random() % 64);
        const std::size_t bucket = bucket_of(ticks);
        ASSERT_LT(bucket, kBuckets);
        if (ticks < UINT64_MAX) {
            ASSERT_LE(bucket, bucket_of(ticks + 1));
        }
    }
    EXPECT_EQ(bucket_of(UINT64_MAX), kBuckets - 1);
}

TEST(ZoneBuckets, MiddleOfABucketIsWithinSixPercent) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 100'000; ++trial) {
        const std::uint64_t ticks = (random() >> (random() % 56)) | 8;
        const double middle = ticks_of_bucket(bucket_of(ticks));
        ASSERT_NEAR(middle / static_cast<double>(ticks), 1.0, 0.0626) << ticks;
    }
}

TEST(ZoneNames, ComeOutOfSignatures) {
    EXPECT_EQ(name_in_signature("int main()"), "main");
    EXPECT_EQ(name_in_signature("virtual void vae::Model::forward(const Batch&, long int)"),
              "vae::Model::forward");
    EXPECT_EQ(
        name_in_signature("std::map<int, std::pair<long, int> > Loader<int>::next(int) const"),
        "Loader<int>::next");
    EXPECT_EQ(name_in_signature("void {anonymous}::helper(int)"), "{anonymous}::helper");
    EXPECT_EQ(name_in_signature("void (anonymous namespace)::helper(int)"),
              "(anonymous namespace)::helper");
    EXPECT_EQ(name_in_signature("int Add::operator()(int, int) const"), "Add::operator()");
    EXPECT_EQ(name_in_signature("char* text(int)"), "text");
    EXPECT_EQ(name_in_signature("Model::Model(int)"), "Model::Model");
    EXPECT_EQ(name_in_signature("broken"), "broken");
    EXPECT_EQ(name_in_signature(""), "");
}

}  // namespace
}  // namespace taffrail::zones
