#include "terminal/format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace taffrail::terminal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(FormatDuration, KnownValues) {
    EXPECT_EQ(format_duration(0.0345), "34.500 ms");
    EXPECT_EQ(format_duration(1.25), "1 s, 250.000 ms");
    EXPECT_EQ(format_duration(61.5), "1 m, 1 s");
    EXPECT_EQ(format_duration(3661), "1 h, 1 m, 1 s");
    EXPECT_EQ(format_duration(90061), "1 d, 1 h, 1 m, 1 s");
}

TEST(FormatDuration, IsRightAtTheEdges) {
    EXPECT_EQ(format_duration(0), "0.000 ms");
    EXPECT_EQ(format_duration(-3), "-3 s, 0.000 ms");
    EXPECT_EQ(format_duration(0.9999999), "1 s, 0.000 ms");
    EXPECT_EQ(format_duration(59.9999999), "1 m, 0 s");
    EXPECT_EQ(format_duration(3600), "1 h, 0 m, 0 s");
    EXPECT_EQ(format_duration(5e-8), "50.000 ns");
    EXPECT_EQ(format_duration(kNan), "NaN");
    EXPECT_EQ(format_duration(kInfinity), "inf");
    EXPECT_EQ(format_duration(1e300), "1.16e+295 d");
}

TEST(FormatRate, KnownValues) {
    EXPECT_EQ(format_rate(163840), "163.84 K");
    EXPECT_EQ(format_rate(2.5e6), "2.50 M");
    EXPECT_EQ(format_rate(3e9), "3.00 B");
    EXPECT_EQ(format_rate(4e12), "4.00 T");
    EXPECT_EQ(format_rate(5e15), "5.00 P");
}

// The page this format comes from breaks at each of these.
TEST(FormatRate, IsRightAtTheEdges) {
    EXPECT_EQ(format_rate(0.5), "0.50");
    EXPECT_EQ(format_rate(0), "0.00");
    EXPECT_EQ(format_rate(-2000), "-2.00 K");
    EXPECT_EQ(format_rate(999), "999.00");
    EXPECT_EQ(format_rate(999'999), "1.00 M");
    EXPECT_EQ(format_rate(1e19), "1.00e+19");
    EXPECT_EQ(format_rate(1e-4), "1.00e-04");
    EXPECT_EQ(format_rate(kNan), "NaN");
    EXPECT_EQ(format_rate(-kInfinity), "-inf");
}

TEST(FormatValue, KeepsSmallAndLargeNumbersReadable) {
    EXPECT_EQ(format_value(0.1234567), "0.1235");
    EXPECT_EQ(format_value(0), "0.0000");
    EXPECT_EQ(format_value(1e-6), "1.0000e-06");
    EXPECT_EQ(format_value(-1e12), "-1.0000e+12");
    EXPECT_EQ(format_value(kNan), "NaN");
}

TEST(FormatClock, HoursOnlyWhenThereAreSome) {
    EXPECT_EQ(format_clock(0), "00:00");
    EXPECT_EQ(format_clock(65), "01:05");
    EXPECT_EQ(format_clock(3700), "1:01:40");
    EXPECT_EQ(format_clock(-1), "?");
    EXPECT_EQ(format_clock(kNan), "?");
}

TEST(FormatBarNumber, Case42NumberTexts) {
    EXPECT_EQ(format_bar_count(1), "1");
    EXPECT_EQ(format_bar_number(1.0), "1.000");
    EXPECT_EQ(format_bar_number(0.1), "0.100");
    EXPECT_EQ(format_bar_number(0.001), "0.001");
    EXPECT_EQ(format_bar_number(1e-5), "1e-5");
    EXPECT_EQ(format_bar_text("1.0"), "1.000");
    EXPECT_EQ(format_bar_text("10000"), "10000");
    EXPECT_EQ(format_bar_text("abc"), "abc");
}

TEST(FormatBarNumber, ShortensLongNumbers) {
    EXPECT_EQ(format_bar_number(0.123456), "0.123");
    EXPECT_EQ(format_bar_number(12345.678), "1.23e+4");
    EXPECT_EQ(format_bar_number(-0.5), "-0.50");
    EXPECT_EQ(format_bar_number(kNan), "NaN");
    EXPECT_EQ(format_bar_number(2.0), "2.000");
}

TEST(FormatBytes, UsesBinaryUnits) {
    EXPECT_EQ(format_bytes(12), "12 B");
    EXPECT_EQ(format_bytes(1536), "1.50 KiB");
    EXPECT_EQ(format_bytes(1024.0 * 1024 - 1), "1.00 MiB");
}

// Any bit pattern of a double gives a short, printable text.
TEST(Formats, AreTotal) {
    std::uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20'000; ++i) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        const double value = std::bit_cast<double>(bits);
        for (const std::string& text :
             {format_duration(value), format_rate(value), format_value(value),
              format_bar_number(value), format_clock(value), format_bytes(value)}) {
            ASSERT_FALSE(text.empty());
            ASSERT_LT(text.size(), 64u) << value;
        }
    }
}

}  // namespace
}  // namespace taffrail::terminal
