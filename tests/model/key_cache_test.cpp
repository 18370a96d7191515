#include "model/key_cache.h"

#include <taffrail/run.h>

#include "io/files.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace taffrail::model {
namespace {

constexpr KeyCache::Fingerprint kPrint{1, 2, 3, 4};

std::vector<KeyInfo> some_keys() {
    KeyInfo loss, text;
    loss.key = "val/loss";
    loss.count = 9;
    loss.scalar = {9,    1,    2,   1,  -0.0, std::numeric_limits<double>::infinity(),
                   12.5, 0.25, -40, 50, -1,   1'700'000'000'000'000'000};
    loss.definition = std::make_shared<const MetricOptions>(MetricOptions{
        .step = "epoch", .summary = Summary::Min, .goal = Goal::Minimize, .hidden = true});
    text.key = "note";
    text.kind = Kind::Text;
    text.count = 2;
    return {loss, text};
}

TEST(KeyCache, FindingG14_KeysComeBackAsTheyWere) {
    const test::TestFolder folder;
    const std::string path = folder / "some.keys";
    {
        KeyCache cache;
        cache.add("/runs/a", kPrint, some_keys());
        cache.add("/runs/gone", kPrint, some_keys());
        EXPECT_EQ(cache.added(), 2u);
        cache.write(path, [](const std::string& run, const auto&) { return run == "/runs/a"; })
            .value();
    }
    KeyCache cache;
    cache.read(path);
    EXPECT_EQ(cache.size(), 1u);
    EXPECT_EQ(cache.added(), 0u);
    EXPECT_FALSE(cache.find("/runs/a", {1, 2, 3, 5})) << "the run changed";
    EXPECT_FALSE(cache.find("/runs/gone", kPrint));
    ASSERT_TRUE(cache.find("/runs/a", kPrint));
    const auto keys = KeyCache::decode(*cache.find("/runs/a", kPrint));
    ASSERT_EQ(keys.size(), 2u);
    const SeriesSummary &read = keys[0].scalar, expected = some_keys()[0].scalar;
    EXPECT_EQ(keys[0].key, "val/loss");
    EXPECT_EQ(keys[0].count, 9u);
    EXPECT_EQ(read.count, expected.count);
    EXPECT_EQ(read.nan_count, expected.nan_count);
    EXPECT_EQ(read.positive_infinity_count, expected.positive_infinity_count);
    EXPECT_EQ(read.negative_infinity_count, expected.negative_infinity_count);
    EXPECT_TRUE(std::signbit(read.min));
    EXPECT_EQ(read.max, expected.max);
    EXPECT_EQ(read.sum, expected.sum);
    EXPECT_EQ(read.last, expected.last);
    EXPECT_EQ(read.first_step, expected.first_step);
    EXPECT_EQ(read.last_step, expected.last_step);
    EXPECT_EQ(read.first_time_ns, expected.first_time_ns);
    EXPECT_EQ(read.last_time_ns, expected.last_time_ns);
    ASSERT_TRUE(keys[0].definition);
    EXPECT_EQ(keys[0].definition->step, "epoch");
    EXPECT_EQ(keys[0].definition->summary, Summary::Min);
    EXPECT_EQ(keys[0].definition->goal, Goal::Minimize);
    EXPECT_TRUE(keys[0].definition->hidden);
    EXPECT_EQ(keys[1].kind, Kind::Text);
    EXPECT_EQ(keys[1].count, 2u);
    EXPECT_FALSE(keys[1].definition);
}

TEST(KeyCache, FindingG14_ARunOfVeryManyKeysIsLeftOut) {
    KeyCache cache;
    cache.add("/runs/a", kPrint, std::vector<KeyInfo>(100'000));
    EXPECT_EQ(cache.size(), 0u) << "it would be slower to read than the run";
}

}  // namespace
}  // namespace taffrail::model
