#include "codec/formats/tensorboard/tensor.h"

#include "codec/protobuf_wire.h"

#include <gtest/gtest.h>

#include <array>

namespace taffrail::formats::tensorboard {
namespace {

Bytes listed(TensorType type, std::uint32_t field, std::uint64_t raw, bool type_first = true) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    if (type_first) {
        writer.varint(1, static_cast<std::uint64_t>(type));
    }
    if (type == TensorType::Float) {
        writer.fixed32(field, std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
    } else if (type == TensorType::Double) {
        writer.fixed64(field, std::bit_cast<double>(raw));
    } else {
        writer.varint(field, raw);
    }
    if (!type_first) {
        writer.varint(1, static_cast<std::uint64_t>(type));
    }
    return bytes;
}

TEST(Tensor, ScalarOfEveryTypeReadsAsItsNumber) {
    EXPECT_EQ(
        tensor_scalar(listed(TensorType::Float, 5, std::bit_cast<std::uint32_t>(1.5F)))->value,
        1.5);
    EXPECT_EQ(
        tensor_scalar(listed(TensorType::Double, 6, std::bit_cast<std::uint64_t>(0.1)))->value,
        0.1);
    EXPECT_FALSE(tensor_scalar(listed(TensorType::Double, 6, 0))->exact_float);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Int32, 7, static_cast<std::uint64_t>(-3)))->value,
              -3);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Int8, 7, static_cast<std::uint64_t>(-3)))->value,
              -3);
    EXPECT_EQ(tensor_scalar(listed(TensorType::UInt8, 7, 200))->value, 200);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Int64, 10, static_cast<std::uint64_t>(-9)))->value,
              -9);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Bool, 11, 1))->value, 1);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Half, 13, 0x3C00))->value, 1.0);
    EXPECT_EQ(tensor_scalar(listed(TensorType::Half, 13, 0x8001))->value, -0x1p-24);
    EXPECT_EQ(tensor_scalar(listed(TensorType::BFloat16, 13, 0x3F80))->value, 1.0);
    EXPECT_EQ(tensor_scalar(listed(TensorType::UInt32, 16, 4000000000u))->value, 4e9);
    EXPECT_EQ(tensor_scalar(listed(TensorType::UInt64, 17, std::uint64_t{1} << 63))->value, 0x1p63);
}

TEST(Tensor, ElementsMayStandBeforeTheType) {
    const auto scalar =
        tensor_scalar(listed(TensorType::Float, 5, std::bit_cast<std::uint32_t>(2.0F), false));
    ASSERT_TRUE(scalar);
    EXPECT_EQ(scalar->value, 2.0);
}

TEST(Tensor, OneElementShapesAreScalarsAndOthersAreNot) {
    const float one = 7;
    const ByteSpan content{reinterpret_cast<const std::byte*>(&one), 4};
    const std::array<std::int64_t, 2> ones{1, 1}, twos{2, 1};
    EXPECT_EQ(tensor_scalar(encode_tensor(TensorType::Float, {}, content))->value, 7);
    EXPECT_EQ(tensor_scalar(encode_tensor(TensorType::Float, ones, content))->value, 7);
    EXPECT_FALSE(tensor_scalar(encode_tensor(TensorType::Float, twos, content)));
}

TEST(Tensor, ShortListRepeatsItsLastElement) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.varint(1, 1);
    writer.message(2, [](ProtoWriter& shape) {
        shape.message(2, [](ProtoWriter& dim) { dim.varint(1, 3); });
    });
    writer.fixed32(5, 4.0F);
    TensorMessage tensor;
    ASSERT_TRUE(parse_tensor(bytes, tensor));
    EXPECT_EQ(*tensor_numbers(tensor), (std::vector<double>{4, 4, 4}));
    EXPECT_EQ(tensor_bytes(tensor)->size(), 12u);
}

// A few bytes must never ask for gigabytes.
TEST(Tensor, HugeShapeWithOneElementIsRefused) {
    for (std::uint64_t extent :
         {std::uint64_t{1} << 30, std::uint64_t{1} << 45, ~std::uint64_t{0}}) {
        Bytes bytes;
        ProtoWriter writer(bytes);
        writer.varint(1, 1);
        writer.message(2, [&](ProtoWriter& shape) {
            shape.message(2, [&](ProtoWriter& dim) { dim.varint(1, extent); });
        });
        writer.fixed32(5, 4.0F);
        TensorMessage tensor;
        ASSERT_TRUE(parse_tensor(bytes, tensor));
        EXPECT_FALSE(tensor_numbers(tensor));
        EXPECT_FALSE(tensor_bytes(tensor));
    }
}

TEST(Tensor, DtypesMapBothWays) {
    for (DType dtype :
         {DType::Bool, DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32,
          DType::U64, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64}) {
        EXPECT_EQ(dtype_of(tensor_type_of(dtype)), dtype);
        EXPECT_EQ(element_bytes(tensor_type_of(dtype)), size_of(dtype));
    }
    EXPECT_EQ(tensor_type_of(DType::F8E4M3), TensorType::Invalid);
}

}  // namespace
}  // namespace taffrail::formats::tensorboard
