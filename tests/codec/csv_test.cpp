#include "codec/csv.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

TEST(CsvCell, IsQuotedWhereItWouldReadBackOtherwise) {
    EXPECT_EQ(csv_cell("train/loss"), "train/loss");
    EXPECT_EQ(csv_cell(""), "");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csv_cell(" padded"), "\" padded\"");
    EXPECT_EQ(csv_cell("=1+1"), "=1+1") << "a table of a program's own is not altered";
}

TEST(CsvCell, ForPeopleIsNoFormula) {
    EXPECT_EQ(csv_safe_cell("=1+1"), "'=1+1");
    EXPECT_EQ(csv_safe_cell("@sum(a,b)"), "\"'@sum(a,b)\"");
    EXPECT_EQ(csv_safe_cell("-x"), "'-x");
    EXPECT_EQ(csv_safe_cell("-1.5"), "-1.5");
    EXPECT_EQ(csv_safe_cell("a=1"), "a=1");
}

}  // namespace
}  // namespace taffrail
