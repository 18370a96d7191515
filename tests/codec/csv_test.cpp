#include "codec/csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(ParseCsv, GivesBackWhatWasWritten) {
    const std::vector<std::vector<std::string>> rows = {
        {"a", "b,c", "say \"hi\""}, {"two\nlines", "", " padded "}, {"\r\n", "=1", "\"\""}};
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : ",") + csv_cell(row[i]);
        }
        text += "\n";
    }
    EXPECT_EQ(parse_csv(text), rows);
    text.pop_back();
    EXPECT_EQ(parse_csv(text), rows) << "a last line without its end";
    EXPECT_EQ(parse_csv("a,b\r\n1,\r\n"),
              (std::vector<std::vector<std::string>>{{"a", "b"}, {"1", ""}}));
    EXPECT_TRUE(parse_csv("").empty());
}

}  // namespace
}  // namespace taffrail
