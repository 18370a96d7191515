#include "codec/protobuf_wire.h"
#include "formats_tensorboard/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace taffrail {
namespace {

TEST(ProtoReader, ReadsBackEveryWireType) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.signed_varint(1, -1);
    writer.fixed64(2, 0.5);
    writer.fixed32(3, 0.25F);
    writer.text(4, "text");
    writer.message(500, [](ProtoWriter& nested) { nested.boolean(1, true); });
    ProtoReader reader(bytes);
    WireField field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.as_int64(), -1);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.as_double(), 0.5);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.as_float(), 0.25F);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.as_text(), "text");
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.number, 500u);
    EXPECT_EQ(field.bytes.size(), 2u);
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.ok());
}

// field 1 group { field 2 group { field 3 varint 7 } }, then field 4 varint 9
TEST(ProtoReader, StepsOverNestedGroups) {
    const Bytes bytes = from_hex(
        "0b1318071"
        "40c2009");
    ProtoReader reader(bytes);
    WireField field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.type, WireType::GroupStart);
    ASSERT_TRUE(reader.next(field));
    EXPECT_TRUE(field.is(4, WireType::Varint));
    EXPECT_EQ(field.raw, 9u);
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.ok());
}

TEST(ProtoReader, RefusesLengthBeyondTheMessage) {
    for (const char* hex :
         {"0a05", "0affffffffffffffffff01", "0a", "0900", "08", "00", "0e", "0b"}) {
        const Bytes bytes = from_hex(hex);
        ProtoReader reader(bytes);
        WireField field;
        while (reader.next(field)) {
        }
        EXPECT_FALSE(reader.ok()) << hex;
    }
}

TEST(ProtoReader, PackedAndSingleNumbersReadTheSame) {
    // field 5: packed 1.0f, 2.0f, then a single 3.0f
    const Bytes bytes = from_hex(
        "2a080000803f00000040"
        "2d00004040");
    std::vector<float> values;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        EXPECT_TRUE(for_each_number(field, WireType::Fixed32, [&](std::uint64_t raw) {
            values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
        }));
    }
    EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
}

RC_GTEST_PROP(ProtoReader, EndsOnAnyBytes, (const std::vector<std::uint8_t>& junk)) {
    ProtoReader reader({reinterpret_cast<const std::byte*>(junk.data()), junk.size()});
    WireField field;
    std::size_t fields = 0;
    while (reader.next(field)) {
        ++fields;
    }
    RC_ASSERT(fields <= junk.size());
    RC_ASSERT(reader.offset() <= junk.size());
}

}  // namespace
}  // namespace taffrail
