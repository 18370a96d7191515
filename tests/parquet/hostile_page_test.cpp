// Pages with valid checksums whose content contradicts itself: refused, whatever they claim.
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"
#include "codec/parquet/page.h"

#include <gtest/gtest.h>

namespace taffrail::parquet {
namespace {

const Column kOptionalDouble{"x", Type::Double, Shape::Optional, Meaning::None};
const Column kList{"l", Type::Double, Shape::List, Meaning::None};
const Column kText{"t", Type::ByteArray, Shape::Required, Meaning::Text};

Bytes page(const Bytes& body, std::int32_t values, Encoding encoding, std::int32_t claimed = -1) {
    Bytes packed;
    append_zstd(packed, body);
    PageHeader header;
    header.values = values;
    header.encoding = encoding;
    header.uncompressed_bytes = claimed >= 0 ? claimed : static_cast<std::int32_t>(body.size());
    header.compressed_bytes = static_cast<std::int32_t>(packed.size());
    header.crc = crc32(packed);
    Bytes bytes;
    append_page_header(bytes, header);
    append(bytes, packed);
    return bytes;
}

// Levels as a run of `count` times `level`, with their length before them.
void append_levels(Bytes& body, std::uint64_t count, std::uint8_t level) {
    Bytes levels;
    append_varint(levels, count << 1);
    levels.push_back(static_cast<std::byte>(level));
    append(body, static_cast<std::uint32_t>(levels.size()));
    append(body, levels);
}

Result<PageTaken> read(const Bytes& bytes, const Column& column, DecodedColumn& to) {
    std::vector<std::string> dictionary{"entry"};
    return read_page(bytes, column, {}, dictionary, to);
}

// With levels of 2 no value is counted as stored, and each row would still take one.
TEST(HostilePage, FindingS03_LevelsThatNeedMoreBitsThanTheyHaveAreRefused) {
    for (const std::uint8_t level : {std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{255}}) {
        Bytes body;
        append_levels(body, 1000, level);
        DecodedColumn to;
        EXPECT_EQ(read(page(body, 1000, Encoding::Plain), kOptionalDouble, to).error().code,
                  ErrorCode::Corrupt);
        EXPECT_TRUE(to.doubles.empty());
    }
}

TEST(HostilePage, FindingS03_RunsNeverGiveMoreThanTheirBits) {
    for (unsigned bits = 1; bits < 32; ++bits) {
        Bytes run;
        append_varint(run, 8 << 1);
        const std::uint64_t value = std::uint64_t{1} << bits;
        for (unsigned byte = 0; byte < (bits + 7) / 8; ++byte) {
            run.push_back(static_cast<std::byte>(value >> (8 * byte)));
        }
        std::vector<std::uint32_t> values(8);
        const bool fits_in_bytes = bits % 8 == 0;  // there the bit falls off the end
        EXPECT_EQ(read_rle(run, bits, values), fits_in_bytes) << bits;
    }
}

TEST(HostilePage, FindingS03_AListThatBeginsInTheMiddleIsRefused) {
    Bytes body;
    append_levels(body, 4, 1);  // repetition: all of them go on with the list before
    append_levels(body, 4, 1);
    for (int i = 0; i < 4; ++i) {
        append(body, 1.0);
    }
    DecodedColumn to;
    EXPECT_FALSE(read(page(body, 4, Encoding::Plain), kList, to).ok());
}

TEST(HostilePage, FindingS16_ClaimsBeyondTheBudgetsAreRefusedBeforeMemoryIsAskedFor) {
    Bytes rows;
    append_levels(rows, 1 << 24, 0);  // ten bytes for 16 million nulls
    DecodedColumn to;
    EXPECT_FALSE(read(page(rows, 1 << 24, Encoding::Plain), kOptionalDouble, to).ok());
    EXPECT_FALSE(
        read(page({}, 4, Encoding::Plain, std::numeric_limits<std::int32_t>::max()), kList, to)
            .ok());
    Bytes index{std::byte{1}};  // one bit, all of them 0: a million times the same text
    append_varint(index, std::uint64_t{1 << 20} << 1);
    index.push_back(std::byte{0});
    std::vector<std::string> dictionary{std::string(1 << 20, 'x')};
    EXPECT_FALSE(
        read_page(page(index, 1 << 20, Encoding::RleDictionary), kText, {}, dictionary, to).ok());
    EXPECT_LT(to.texts.size(), 1000u);
}

}  // namespace
}  // namespace taffrail::parquet
