#include "query/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace taffrail::query {
namespace {

double value(std::string_view text, std::vector<double> values = {}) {
    auto parsed = Expression::parse(text);
    EXPECT_TRUE(std::holds_alternative<Expression>(parsed)) << text;
    return std::get<Expression>(parsed).evaluate(values);
}

TEST(Expression, FollowsTheUsualRules) {
    EXPECT_EQ(value("1+2*3"), 7);
    EXPECT_EQ(value("-2^2"), -4);
    EXPECT_EQ(value("2^3^2"), 512);
    EXPECT_EQ(value("(1+2)*3-4/2"), 7);
    EXPECT_EQ(value("max(1, 5, 3) - min(4,2)"), 3);
    EXPECT_EQ(value("sqrt(abs(-16))"), 4);
    EXPECT_DOUBLE_EQ(value("log10(1e3)+exp(0)+log(1)"), 4);
}

TEST(Expression, NamesKeysOnce) {
    auto parsed = std::get<Expression>(Expression::parse("${train/loss} - loss + ${train/loss}"));
    EXPECT_THAT(parsed.keys(), testing::ElementsAre("train/loss", "loss"));
    EXPECT_EQ(parsed.evaluate(std::vector<double>{5, 3}), 7);
}

TEST(Expression, RefusesNonsenseWithThePlace) {
    for (std::string_view text :
         {"", "1+", "(1", "${a", "foo(1)", "abs(1,2)", "min(1)", "1 2", "a b"}) {
        EXPECT_TRUE(std::holds_alternative<ExpressionError>(Expression::parse(text))) << text;
    }
    EXPECT_EQ(std::get<ExpressionError>(Expression::parse("1+foo(2)")).offset, 2u);
    EXPECT_TRUE(
        std::holds_alternative<ExpressionError>(Expression::parse(std::string(10000, '('))));
    EXPECT_TRUE(
        std::holds_alternative<ExpressionError>(Expression::parse(std::string(10000, '-'))));
}

// Each key is a series read for every run, and names were looked up in a row of all before them.
TEST(Expression, FindingS21_FortyThousandKeysAreRefusedWithTheLimit) {
    std::string text = "k0";
    for (int i = 1; i < 101; ++i) {
        text += "+k" + std::to_string(i);
    }
    const auto refused = Expression::parse(text);
    ASSERT_TRUE(std::holds_alternative<ExpressionError>(refused));
    EXPECT_THAT(std::get<ExpressionError>(refused).message, testing::HasSubstr("100 keys"));
    const auto allowed = Expression::parse(text.substr(0, text.rfind('+')));
    EXPECT_TRUE(std::holds_alternative<Expression>(allowed));

    std::string many = "k0";
    for (int i = 1; i < 40'000; ++i) {
        many += "+k" + std::to_string(i);
    }
    const auto too_long = Expression::parse(many);
    ASSERT_TRUE(std::holds_alternative<ExpressionError>(too_long));
    EXPECT_THAT(std::get<ExpressionError>(too_long).message, testing::HasSubstr("16384 bytes"));
}

}  // namespace
}  // namespace taffrail::query
