#include "base/strings.h"

#include "base/bytes.h"
#include "base/names.h"
#include "base/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace taffrail {
namespace {

TEST(Strings, SuggestsOnlyWhatLooksLikeATypingMistake) {
    const std::vector<std::string> names{"tensorboard", "csv", "terminal"};
    EXPECT_EQ(suggestion("tensorbord", names), "tensorboard");
    EXPECT_EQ(suggestion("TERMINAL", names), "terminal");
    EXPECT_EQ(suggestion("postgres", names), std::nullopt);
}

TEST(Strings, GlobStarsCrossSlashes) {
    EXPECT_TRUE(glob_match("val/*", "val/loss/main"));
    EXPECT_TRUE(glob_match("*/loss", "val/loss"));
    EXPECT_TRUE(glob_match("a?c*", "abcdef"));
    EXPECT_FALSE(glob_match("val/*", "train/loss"));
    EXPECT_TRUE(glob_match("*", ""));
}

TEST(Strings, DoublesPrintShortestAndReadBack) {
    EXPECT_EQ(format_double(0.1), "0.1");
    EXPECT_EQ(format_double(3e-4), "3e-04");
    EXPECT_EQ(format_double(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(format_double(-std::numeric_limits<double>::infinity()), "-Infinity");
    EXPECT_EQ(parse_double("1e3"), 1000.0);
    EXPECT_EQ(parse_double("1e3x"), std::nullopt);
    EXPECT_EQ(parse_int("9223372036854775808"), std::nullopt);
}

TEST(Strings, TimesArePrintedInUtc) {
    EXPECT_EQ(format_time_utc(1700000000123000000), "2023-11-14T22:13:20.123Z");
    EXPECT_EQ(format_time_utc(0), "1970-01-01T00:00:00.000Z");
}

TEST(Utf8, RepairsWhatIsBroken) {
    EXPECT_TRUE(is_valid_utf8("naïve 🙂"));
    EXPECT_FALSE(is_valid_utf8("\xC0\xAF"));
    EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80"));
    EXPECT_EQ(repair_utf8("a\xFF"), "a\xEF\xBF\xBD");
}

TEST(Names, IdsSortByTimeAndAreSafeInFolders) {
    EXPECT_LT(make_run_id(1'000'000'000'000), make_run_id(2'000'000'000'000));
    EXPECT_EQ(make_run_id(0).size(), 26u);
    EXPECT_EQ(folder_safe("../etc/pass wd"), "etc-pass-wd");
    EXPECT_EQ(folder_safe(""), "");
}

TEST(ByteCursor, FailsOnceAndStaysFailed) {
    const std::byte raw[] = {std::byte{0x80}, std::byte{0x80}};
    ByteCursor cursor(raw);
    EXPECT_EQ(cursor.varint(), 0u);
    EXPECT_FALSE(cursor.ok());
    EXPECT_TRUE(cursor.take(1).empty());
}

}  // namespace
}  // namespace taffrail
