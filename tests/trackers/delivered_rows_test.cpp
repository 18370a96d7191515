#include "trackers/delivered_rows.h"

#include "../record_builder.h"

#include <gtest/gtest.h>

using namespace taffrail;
using namespace taffrail::trackers;

TEST(DeliveredRows, KnowsWhatWasHandedOverBefore) {
    test::Records records;
    records.row(0, {{"a", 1}, {"b", 2}}).row(1, {{"a", 3}, {"b", 4}});
    for (std::size_t taken = 0; taken <= records.all().size(); ++taken) {
        DeliveredRows first;
        for (const Record& record : records.all().first(taken)) {
            EXPECT_FALSE(first.seen_before(record));
            first.note(record);
        }
        DeliveredRows second;
        const std::string saved = first.save();
        if (!saved.empty()) {
            EXPECT_TRUE(second.restore(std::string_view(saved).substr(0, saved.size() - 1)));
        }
        std::size_t seen = 0;
        for (const Record& record : records.all()) {
            seen += second.seen_before(record) ? 1 : 0;
        }
        EXPECT_EQ(seen, taken);
    }
}

TEST(DeliveredRows, KeepsWritersApart) {
    test::Records one(1), two(2);
    one.row(0, {{"a", 1}});
    two.row(0, {{"a", 1}});
    DeliveredRows first;
    first.note(one.all()[0]);
    DeliveredRows second;
    const std::string saved = first.save();
    ASSERT_TRUE(second.restore(saved.substr(0, saved.size() - 1)));
    EXPECT_TRUE(second.seen_before(one.all()[0]));
    EXPECT_FALSE(second.seen_before(two.all()[0]));
    EXPECT_FALSE(second.restore("file /x"));
}
