// The tables of the documented example and ours, read by the same reader.
#include "profilers/tables.h"

#include "places.h"
#include "profilers/common/simple_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

namespace taffrail::test {
namespace {

std::string data(const std::string& name) {
    std::ifstream file(tests::data_folder() + "/profiling/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SimpleTables, DocumentedOneIsRead) {
    const SimpleTable table = read_simple(data("simple_table.txt"));
    ASSERT_EQ(table.rows.size(), 33u);
    EXPECT_EQ(table.total, 29.42);
    double shares = 0;
    for (const SimpleRow& row : table.rows) {
        EXPECT_NEAR(row.mean / (row.total / row.calls), 1, 2e-4) << row.action;
        shares += row.share;
    }
    EXPECT_NEAR(shares, 243.04, 0.005);
}

// The numbers of the documented table give its lines, tabs and all.
TEST(SimpleTables, OursHasTheLinesOfTheDocumentedOne) {
    const std::string documented = data("simple_table.txt");
    const SimpleTable table = read_simple(documented);
    std::vector<profilers::ActionTotals> totals;
    for (const SimpleRow& row : table.rows) {
        totals.push_back({row.action, static_cast<std::uint64_t>(row.calls), row.total});
    }
    std::istringstream ours(profilers::simple_table(totals, table.total, true));
    std::istringstream theirs(documented);
    int lines = 0;
    for (std::string left, right; std::getline(theirs, left); ++lines) {
        ASSERT_TRUE(std::getline(ours, right)) << "after " << lines << " lines";
        left = left.substr(5);  // the page indents it
        const auto of_theirs = cells_of(left), of_ours = cells_of(right);
        if (is_rule(left)) {
            EXPECT_TRUE(is_rule(right));
        } else if (lines < 3) {
            EXPECT_EQ(left, right);
        } else {
            // What the document rounded cannot be computed again to its last digit.
            ASSERT_EQ(of_ours.size(), 5u) << right;
            EXPECT_EQ(of_theirs[0], of_ours[0]);
            EXPECT_EQ(of_theirs[2], of_ours[2]);
            EXPECT_EQ(of_theirs[3], of_ours[3]);
            EXPECT_EQ(left.size(), right.size());
            EXPECT_NEAR(number_of(of_theirs[1]) / number_of(of_ours[1]), 1, 2e-4) << right;
            EXPECT_NEAR(number_of(of_theirs[4]) / number_of(of_ours[4]), 1, 5e-4) << right;
        }
    }
    EXPECT_EQ(lines, 37);
}

TEST(SimpleTables, OwnersOfAHookAreAddedUp) {
    const SimpleTable table =
        read_simple(profilers::simple_table({{"[Callback]A.on_train_end", 2, 1.0},
                                             {"[Callback]B<int>.on_train_end", 3, 2.0},
                                             {"[Module]M.on_train_end", 1, 3.0},
                                             {"own action.with dot", 1, 0.5}},
                                            10.0, true));
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].action, "on_train_end");
    EXPECT_EQ(table.rows[0].calls, 6);
    EXPECT_EQ(table.rows[0].total, 6);
    EXPECT_EQ(table.rows[0].share, 60);
    EXPECT_EQ(table.rows[1].action, "own action.with dot");
}

TEST(AdvancedTables, DocumentedOneIsRead) {
    const auto blocks = read_advanced(data("advanced_table.txt"));
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(blocks[0].action, "optimizer_step_and_closure_0");
    EXPECT_EQ(blocks[0].calls, 8064);
    EXPECT_EQ(blocks[0].seconds, 8.897);
    EXPECT_EQ(blocks[0].order, "cumulative time");
    EXPECT_EQ(blocks[0].all, 25);
    EXPECT_EQ(blocks[0].shown, 20);
    EXPECT_EQ(blocks[0].rows.size(), 20u);
}

}  // namespace
}  // namespace taffrail::test
