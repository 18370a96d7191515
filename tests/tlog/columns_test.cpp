// Columns come back bit for bit, whatever the values.
#include "codec/tlog/columns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace taffrail::tlog {
namespace {

std::vector<std::uint64_t> bits_of(std::span<const double> values) {
    std::vector<std::uint64_t> bits;
    for (const double value : values) {
        bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return bits;
}

std::vector<double> through(const std::vector<double>& values, std::size_t* size = nullptr) {
    Bytes bytes;
    encode_numbers(bytes, values);
    if (size != nullptr) {
        *size = bytes.size();
    }
    ByteCursor cursor(bytes);
    std::vector<double> out(values.size());
    EXPECT_TRUE(decode_numbers(cursor, out));
    EXPECT_TRUE(cursor.ok());
    EXPECT_EQ(cursor.remaining(), 0u);
    return out;
}

std::vector<std::int64_t> through(const std::vector<std::int64_t>& values,
                                  std::size_t* size = nullptr) {
    Bytes bytes;
    encode_integers(bytes, values);
    if (size != nullptr) {
        *size = bytes.size();
    }
    ByteCursor cursor(bytes);
    std::vector<std::int64_t> out(values.size());
    EXPECT_TRUE(decode_integers(cursor, out));
    EXPECT_EQ(cursor.remaining(), 0u);
    return out;
}

TEST(Columns, KeepNanPayloadsNegativeZeroAndDenormals) {
    const std::vector<double> values = {
        std::bit_cast<double>(0x7FF0000000000001ull),  // signalling
        std::bit_cast<double>(0xFFF8DEADBEEF0001ull), -0.0,
        std::numeric_limits<double>::denorm_min(),    std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(),     std::numeric_limits<double>::max()};
    EXPECT_EQ(bits_of(through(values)), bits_of(values));
}

TEST(Columns, KeepSignallingNanAmongFloats) {
    const std::vector<double> values = {1.5, std::bit_cast<double>(0x7FF0000020000000ull), 2.5};
    EXPECT_EQ(bits_of(through(values)), bits_of(values));
}

TEST(Columns, FloatsTakeFourBytesAndConstantsNine) {
    std::size_t size = 0;
    (void)through(std::vector<double>{0.1f, 0.2f, -0.0, 1e-40f}, &size);
    EXPECT_EQ(size, 1u + 4 * 4);
    (void)through(std::vector<double>(1000, 0.1), &size);
    EXPECT_EQ(size, 9u);
    (void)through(std::vector<double>{0.1, 0.2}, &size);
    EXPECT_EQ(size, 1u + 2 * 8);
}

TEST(Columns, ProgressionsTakeAFewBytes) {
    std::size_t size = 0;
    std::vector<std::int64_t> steps(1000);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i] = 7 + static_cast<std::int64_t>(i) * 10;
    }
    EXPECT_EQ(through(steps, &size), steps);
    EXPECT_EQ(size, 3u);
}

TEST(Columns, IntegersAtTheEndsOfTheRange) {
    const std::vector<std::int64_t> values = {INT64_MAX, INT64_MIN, -1, 0, INT64_MIN, INT64_MAX, 1};
    EXPECT_EQ(through(values), values);
    EXPECT_EQ(through(std::vector<std::int64_t>{INT64_MIN, INT64_MAX}),
              (std::vector<std::int64_t>{INT64_MIN, INT64_MAX}));
}

TEST(Columns, CutShortBytesFailTheCursor) {
    Bytes bytes;
    encode_integers(bytes, std::vector<std::int64_t>{1, 5, 7, 900000});
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        ByteCursor cursor(ByteSpan(bytes).first(length));
        std::vector<std::int64_t> out(4);
        decode_integers(cursor, out);
        EXPECT_FALSE(cursor.ok()) << length;
    }
}

RC_GTEST_PROP(Columns, AnyIntegersComeBack, ()) {
    const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
        rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(0, 300),
                       rc::gen::element<std::int64_t>(INT64_MIN, INT64_MAX))));
    RC_ASSERT(through(values) == values);
}

RC_GTEST_PROP(Columns, AnyBitsComeBack, (const std::vector<std::uint64_t>& bits, bool floats)) {
    RC_PRE(!bits.empty());
    std::vector<double> values;
    for (const std::uint64_t word : bits) {
        values.push_back(
            floats ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word)))
                   : std::bit_cast<double>(word));
    }
    RC_ASSERT(bits_of(through(values)) == bits_of(values));
}

}  // namespace
}  // namespace taffrail::tlog
