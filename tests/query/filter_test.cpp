#include "query/filter.h"

#include <taffrail/run.h>

#include "query/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

// A filter over these runs, or what is wrong with it.
std::string problem_of(std::string_view text, const std::vector<RunInfo>& runs,
                       const std::vector<KeyInfo>& keys = {}) {
    const auto filter = Filter::compile(text);
    if (!filter.ok()) {
        return filter.error().message;
    }
    std::vector<std::unique_ptr<FilterSubject>> subjects;
    for (const RunInfo& run : runs) {
        subjects.push_back(std::make_unique<RunSubject>(run, &keys));
    }
    const auto checked = filter->check(subjects);
    return checked.ok() ? "" : checked.error().message;
}

TEST_F(FilterTest, FindingR12_ANumberAgainstATextIsAnErrorThatNamesTheField) {
    EXPECT_FALSE(matches("lr<abc"));
    EXPECT_FALSE(matches("lr>abc"));
    const std::string problem = problem_of("lr<abc", {info_}, keys_);
    EXPECT_NE(problem.find("'lr' holds numbers, and 'abc' is none"), std::string::npos) << problem;
    EXPECT_NE(problem_of("val/loss.min:low", {info_}, keys_), "");
    EXPECT_NE(problem_of("amp=maybe", {info_}, keys_), "");
    // One run with a text under that name is enough to make sense of it.
    RunInfo other = info_;
    other.config = {{"lr", std::string("auto")}};
    EXPECT_EQ(problem_of("lr=auto", {info_, other}, keys_), "");
    EXPECT_EQ(problem_of("lr<1e-3 and name<z and lr~3", {info_}, keys_), "");
}

TEST_F(FilterTest, FindingR12_AnUnknownNameComesWithTheNearestOne) {
    EXPECT_NE(problem_of("leraning_rate<1", {info_}, keys_).find("no run has 'leraning_rate'"),
              std::string::npos);
    EXPECT_NE(problem_of("val/los<1", {info_}, keys_).find("did you mean 'val/loss'?"),
              std::string::npos);
    EXPECT_NE(problem_of("duratoin>1h", {info_}, keys_).find("did you mean 'duration'?"),
              std::string::npos);
    EXPECT_EQ(problem_of("anything<1", {}), "") << "nothing to be known yet";
    EXPECT_EQ(problem_of("tag:none", {RunInfo()}), "");
}

TEST_F(FilterTest, FindingR12_NanIsFound) {
    info_.config = {{"x", std::nan("")}, {"y", 1.0}};
    EXPECT_TRUE(matches("x=NaN and x:nan and y!=NaN"));
    EXPECT_FALSE(matches("x!=NaN or y=NaN or x<NaN or x<1"));
    info_.config = {{"x", std::numeric_limits<double>::infinity()}};
    EXPECT_TRUE(matches("x=inf and x>1e300 and x!=-inf"));
}

TEST_F(FilterTest, FindingR12_TimesAndDurations) {
    // 2026-01-31T12:30:05Z, and 90 minutes of work.
    info_.start_time_ns = 1'769'862'605'000'000'000;
    info_.end_time_ns = info_.start_time_ns + 5400LL * 1'000'000'000;
    EXPECT_TRUE(matches("started=2026-01-31 and started>=2026-01-31 and started<=2026-01-31"));
    EXPECT_TRUE(matches("started>2026-01-30 and started<2026-02-01"));
    EXPECT_FALSE(matches("started>2026-01-31 or started<2026-01-31"));
    EXPECT_TRUE(matches("started=2026-01-31T12:30 and started=2026-01-31T12:30:05Z"));
    EXPECT_TRUE(matches("started>\"2026-01-31 12:29\" and ended>2026-01-31T13:59:59.5"));
    EXPECT_TRUE(matches("duration=1h30m and duration>1.4h and duration<=5400 and duration<2d"));
    EXPECT_FALSE(matches("duration>2h"));
    const auto recent = Filter::compile("started>7d", info_.start_time_ns + 86'400'000'000'000);
    EXPECT_TRUE(recent->matches(RunSubject(info_, &keys_)));
    for (const char* wrong : {"started>soon", "started>2026-13-01", "started>2026-01-31T25:00"}) {
        EXPECT_NE(problem_of(wrong, {info_}).find("'started' is a time"), std::string::npos)
            << wrong;
    }
    EXPECT_NE(problem_of("duration>long", {info_}).find("'duration' is a duration"),
              std::string::npos);
    info_.start_time_ns = info_.end_time_ns = 0;
    EXPECT_FALSE(matches("started<2026-01-31 or duration<1h"));
    // Times of a stranger's file may be further apart than any number of nanoseconds.
    info_.start_time_ns = INT64_MIN;
    info_.end_time_ns = INT64_MAX;
    EXPECT_FALSE(matches("duration<1h or duration>1h"));
}

TEST_F(FilterTest, FindingO22_ADurationThatNoClockTellsIsNone) {
    info_.start_time_ns = 10'000'000'000;
    info_.end_time_ns = 5'000'000'000;
    EXPECT_FALSE(matches("duration<1h"));
    EXPECT_FALSE(matches("duration>1s"));
    EXPECT_TRUE(matches("duration!=1h"));
    EXPECT_TRUE(matches("started<2000-01-01 and ended<2000-01-01"));
}

TEST_F(FilterTest, FindingR12_WholeNumbersAreExact) {
    info_.config = {{"seed", std::int64_t{9007199254740993}}, {"real", 9007199254740992.0}};
    EXPECT_TRUE(matches("seed=9007199254740993 and seed>9007199254740992"));
    EXPECT_FALSE(matches("seed=9007199254740992"));
    EXPECT_TRUE(matches("real=9007199254740992 and real<9007199254740993"));
    EXPECT_TRUE(matches("seed<9.1e15 and seed>9.0071992547409925e15 and seed!=0.5"));
}

TEST(Cells, FindingR07_NanAndAbsentComeLastInBothDirections) {
    const std::vector<Cell> in_order = {Cell(false), Cell(0.1), Cell(std::int64_t{1}),
                                        Cell(std::numeric_limits<double>::infinity()),
                                        Cell(std::string("a"))};
    const std::vector<Cell> last = {Cell(std::nan("")), Cell()};
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        for (std::size_t j = 0; j < in_order.size(); ++j) {
            const int expected = i < j ? -1 : i > j ? 1 : 0;
            EXPECT_EQ(compare_cells(in_order[i], in_order[j], false), expected) << i << " " << j;
            EXPECT_EQ(compare_cells(in_order[i], in_order[j], true), -expected) << i << " " << j;
        }
        for (const Cell& absent : last) {
            EXPECT_EQ(compare_cells(in_order[i], absent, false), -1);
            EXPECT_EQ(compare_cells(in_order[i], absent, true), -1);
            EXPECT_EQ(compare_cells(absent, in_order[i], true), 1);
        }
    }
    EXPECT_EQ(compare_cells(last[0], last[1], false), 0);
}

TEST_F(FilterTest, FindingR07_NothingFiniteIsNoValue) {
    SeriesSummary& loss = keys_[0].scalar;
    loss.nan_count = loss.count;
    EXPECT_FALSE(matches("val/loss.min<1 or val/loss.max>=0 or val/loss.mean=0"));
    // {1, 3, inf}: the mean of the finite ones.
    loss = {};
    loss.count = 3;
    loss.positive_infinity_count = 1;
    loss.min = 1, loss.max = std::numeric_limits<double>::infinity(), loss.sum = 4;
    EXPECT_TRUE(matches("val/loss.mean=2 and val/loss.max=inf and val/loss.min=1"));
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
