#include "codec/csv.h"
#include "sinks/csv/folder.h"
#include "sinks/csv/table.h"
#include "test_files.h"

#include <gtest/gtest.h>

namespace taffrail::sinks::csv {
namespace {

TEST(CsvTable, Case46NewColumnRewritesTheHeaderAndPadsEarlierRows) {
    const test::TestFolder folder;
    CsvTable table = CsvTable::open(folder / "m.csv", 0).value();
    table.add({{"step", "0"}, {"c", "0.1"}});
    table.add({{"step", "1"}, {"c", "0.2"}});
    table.add({{"step", "2"}, {"b", "0.3"}});
    table.add({{"step", "3"}, {"a", "0.4"}});
    ASSERT_TRUE(table.save().ok());
    EXPECT_EQ(folder.read("m.csv"), "a,b,c,step\n,,0.1,0\n,,0.2,1\n,0.3,,2\n0.4,,,3\n");
    table.add({{"step", "4"}, {"d", "0.5"}});
    ASSERT_TRUE(table.save().ok());
    EXPECT_EQ(folder.read("m.csv"),
              "a,b,c,d,step\n,,0.1,,0\n,,0.2,,1\n,0.3,,,2\n0.4,,,,3\n,,,0.5,4\n");
}

TEST(CsvTable, QuotesWhatNeedsIt) {
    const std::string odd = "a,\"b\"\nc";
    EXPECT_EQ(parse_csv(csv_cell(odd) + ",x\n"),
              (std::vector<std::vector<std::string>>{{odd, "x"}}));
}

TEST(CsvTable, CutsOffWhatWasNotAcknowledged) {
    const test::TestFolder folder;
    folder.write("m.csv", "a,step\n1,0\n2,1\nhalf a li");
    CsvTable table = CsvTable::open(folder / "m.csv", 2).value();
    table.add({{"a", "3"}, {"step", "2"}});
    ASSERT_TRUE(table.save().ok());
    EXPECT_EQ(folder.read("m.csv"), "a,step\n1,0\n2,1\n3,2\n");
}

TEST(CsvTable, CountsRowsAsTheyAreWrittenWithLineBreaksInThem) {
    const test::TestFolder folder;
    folder.write("m.csv", "\"a\n\"\"b\"\"\",step\n\"1\n\",0\n2,1\n3,2\n");
    CsvTable table = CsvTable::open(folder / "m.csv", 2).value();
    EXPECT_EQ(table.rows(), 2u);
    EXPECT_EQ(folder.read("m.csv"), "\"a\n\"\"b\"\"\",step\n\"1\n\",0\n2,1\n");
    table.add({{"a\n\"b\"", "4"}, {"step", "2"}});
    ASSERT_TRUE(table.save().ok());
    EXPECT_EQ(table.rows(), 3u);
    EXPECT_EQ(CsvTable::open(folder / "m.csv", 100).value().rows(), 3u) << "no more than there are";
    EXPECT_EQ(CsvTable::open(folder / "m.csv", 0).value().rows(), 0u);
    EXPECT_EQ(folder.read("m.csv"), "");
}

TEST(VersionFolders, Case45NextVersionIgnoresOtherNames) {
    const test::TestFolder folder;
    for (const char* name : {"version_0", "version_1", "version_nonumber", "other"}) {
        folder.write(std::string(name) + "/x", "");
    }
    EXPECT_EQ(next_version(folder.path()), 2);
    EXPECT_EQ(next_version(folder / "absent"), 0);
}

}  // namespace
}  // namespace taffrail::sinks::csv
