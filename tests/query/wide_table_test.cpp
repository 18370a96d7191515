#include "query/wide_table.h"

#include <gtest/gtest.h>

namespace taffrail::query {
namespace {

Point at(Step step, double value, std::int32_t rank = 0, std::uint32_t attempt = 0) {
    Point point;
    point.step = step;
    point.value = value;
    point.rank = rank;
    point.attempt = attempt;
    return point;
}

using Cells = std::vector<std::pair<std::size_t, double>>;

TEST(WideTable, LaysSeriesSideBySide) {
    WideTable table;
    table.add(0, std::vector{at(1, 0.1), at(2, 0.2)});
    table.add(1, std::vector{at(2, 20), at(3, 30)});
    ASSERT_EQ(table.rows().size(), 3u);
    EXPECT_EQ(table.rows().at(WideRow{1, 0, 0, 0}), (Cells{{0, 0.1}}));
    EXPECT_EQ(table.rows().at(WideRow{2, 0, 0, 0}), (Cells{{0, 0.2}, {1, 20}}));
    EXPECT_EQ(table.rows().at(WideRow{3, 0, 0, 0}), (Cells{{1, 30}}));
}

TEST(WideTable, KeepsRanksAttemptsAndRepeatsApart) {
    WideTable table;
    table.add(0, std::vector{at(1, 1), at(1, 2), at(1, 3, 1), at(1, 4, 0, 1), at(1, 5)});
    ASSERT_EQ(table.rows().size(), 5u);
    EXPECT_EQ(table.rows().at(WideRow{1, 0, 0, 0}), (Cells{{0, 1}}));
    EXPECT_EQ(table.rows().at(WideRow{1, 0, 0, 1}), (Cells{{0, 2}}));
    EXPECT_EQ(table.rows().at(WideRow{1, 0, 0, 2}), (Cells{{0, 5}}));
    EXPECT_EQ(table.rows().at(WideRow{1, 1, 0, 0}), (Cells{{0, 3}}));
    EXPECT_EQ(table.rows().at(WideRow{1, 0, 1, 0}), (Cells{{0, 4}}));
}

}  // namespace
}  // namespace taffrail::query
