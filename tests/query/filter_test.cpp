#include "query/filter.h"

#include <taffrail/run.h>

#include <gtest/gtest.h>

namespace taffrail::query {
namespace {

class FilterTest : public testing::Test {
  protected:
    FilterTest() {
        info_.name = "bold fox";
        info_.state = RunState::Finished;
        info_.tags = {"ablation", "seed-1"};
        info_.config = {{"lr", 3e-4},
                        {"depth", std::int64_t{4}},
                        {"model", std::string("resnet50")},
                        {"amp", true},
                        {"a.min", 7.0}};
        info_.summary = {{"best/acc", 0.91}};
        KeyInfo loss;
        loss.key = "val/loss";
        loss.count = loss.scalar.count = 10;
        loss.scalar.min = 0.1;
        loss.scalar.max = 2;
        loss.scalar.last = 0.2;
        loss.scalar.sum = 5;
        keys_ = {loss};
    }

    bool matches(std::string_view text) {
        auto filter = Filter::compile(text);
        EXPECT_TRUE(filter.ok()) << (filter.ok() ? "" : filter.error().message);
        return filter.ok() && filter->matches(RunSubject(info_, &keys_));
    }

    RunInfo info_;
    std::vector<KeyInfo> keys_;
};

TEST_F(FilterTest, ComparesConfigTagsAndMetrics) {
    EXPECT_TRUE(matches("lr<1e-3 and tag:ablation"));
    EXPECT_FALSE(matches("lr<1e-4 and tag:ablation"));
    EXPECT_TRUE(matches("tag:seed-*"));
    EXPECT_TRUE(matches("val/loss <= 0.2"));
    EXPECT_TRUE(matches("val/loss.min < 0.15 and val/loss.max=2 and val/loss.mean=0.5"));
    EXPECT_TRUE(matches("metric.min:val/loss < 0.15"));
    EXPECT_TRUE(matches("best/acc>0.9"));
    EXPECT_TRUE(matches("amp:true and depth=4 and model:resnet*"));
}

TEST_F(FilterTest, FindingR04_ABareMetricMeansItsDefinedSummary) {
    EXPECT_TRUE(matches("val/loss=0.2"));
    keys_[0].definition =
        std::make_shared<const MetricOptions>(MetricOptions{.step = "", .summary = Summary::Min});
    EXPECT_TRUE(matches("val/loss=0.1 and val/loss.last=0.2 and metric:val/loss=0.1"));
    keys_[0].definition =
        std::make_shared<const MetricOptions>(MetricOptions{.step = "", .summary = Summary::None});
    EXPECT_TRUE(matches("val/loss!=0.2 and val/loss.last=0.2"));
}

TEST_F(FilterTest, FindingG14_SettingsAreDecidedWithoutAskingForKeys) {
    int asked = 0;
    const RunSubject subject(info_, [&]() -> const std::vector<KeyInfo>* {
        ++asked;
        return &keys_;
    });
    EXPECT_TRUE(Filter::compile("lr<1e-3 and depth=4 and state:finished")->matches(subject));
    EXPECT_EQ(asked, 0);
    EXPECT_TRUE(Filter::compile("val/loss.min<0.2")->matches(subject));
    EXPECT_GT(asked, 0);
}

TEST_F(FilterTest, KnowsPrecedenceNotAndParentheses) {
    EXPECT_TRUE(matches("state:failed or state:finished and tag:ablation"));
    EXPECT_FALSE(matches("(state:failed or state:finished) and tag:nothing"));
    EXPECT_TRUE(matches("not state:failed"));
    EXPECT_TRUE(matches("NOT (state:failed OR tag:nothing)"));
}

TEST_F(FilterTest, TextsMayBeQuotedAndSearched) {
    EXPECT_TRUE(matches("name:\"bold fox\""));
    EXPECT_TRUE(matches("name~FOX"));
    EXPECT_TRUE(matches(""));
}

TEST_F(FilterTest, AbsentNamesMatchOnlyInequality) {
    EXPECT_FALSE(matches("nothing<1"));
    EXPECT_FALSE(matches("nothing:1"));
    EXPECT_TRUE(matches("nothing!=1"));
}

TEST_F(FilterTest, ConfigurationWinsOverStatisticSuffix) {
    EXPECT_TRUE(matches("a.min=7"));
}

TEST(FilterErrors, SayWhatWasExpectedAndWhere) {
    const auto column = [](std::string_view text) {
        return std::get<FilterError>(Filter::parse(text)).offset;
    };
    EXPECT_EQ(column("lr<"), 3u);
    EXPECT_EQ(column("lr 3"), 3u);
    EXPECT_EQ(column("(lr<1"), 5u);
    EXPECT_EQ(column("lr<1 tag:x"), 5u);
    EXPECT_EQ(column("name:\"x"), 5u);
    EXPECT_NE(Filter::compile("lr<").error().message.find("example"), std::string::npos);
    EXPECT_FALSE(Filter::compile(std::string(5000, '(')).ok());
}

// A chain was a tower of functions, one calling the next: long enough, and the stack was gone.
TEST_F(FilterTest, FindingS07_LongChainsCostNoDepthAndHaveALimit) {
    const auto chain = [](std::size_t terms, std::string_view word) {
        std::string text = "depth:5";
        for (std::size_t i = 1; i < terms; ++i) {
            text.append(" ").append(word).append(" depth:").append(word == "or" ? "4" : "5");
        }
        return text;
    };
    EXPECT_TRUE(matches(chain(1000, "or")));
    EXPECT_FALSE(matches(chain(1000, "and")));
    const auto too_many = Filter::parse(chain(1001, "or"));
    ASSERT_TRUE(std::holds_alternative<FilterError>(too_many));
    EXPECT_NE(std::get<FilterError>(too_many).message.find("1000 comparisons"), std::string::npos);
    const auto too_long = Filter::compile(chain(590'000, "and"));
    ASSERT_FALSE(too_long.ok());
    EXPECT_NE(too_long.error().message.find("65536 bytes"), std::string::npos);
    EXPECT_LT(too_long.error().message.size(), 1000u) << "the text itself is not repeated whole";
}

TEST_F(FilterTest, FindingS07_NestingHasALimitThatIsNamed) {
    for (const std::string& text :
         {std::string(5000, '(') + "depth:4" + std::string(5000, ')'), [] {
              std::string nots;
              for (int i = 0; i < 5000; ++i) {
                  nots += "not ";
              }
              return nots + "depth:4";
          }()}) {
        const auto refused = Filter::parse(text);
        ASSERT_TRUE(std::holds_alternative<FilterError>(refused));
        EXPECT_NE(std::get<FilterError>(refused).message.find("100 levels"), std::string::npos);
    }
}

}  // namespace
}  // namespace taffrail::query
