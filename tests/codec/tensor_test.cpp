#include "codec/tensor.h"

#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Element by element through the strides: the slow form that gather must equal.
Bytes gather_naively(const TensorView& tensor) {
    Bytes out;
    const std::size_t width = size_of(tensor.dtype);
    for (std::int64_t flat = 0; flat < tensor.shape.elements(); ++flat) {
        std::int64_t rest = flat, offset = 0;
        for (std::size_t axis = tensor.shape.rank(); axis-- > 0;) {
            offset += rest % tensor.shape[axis] * tensor.strides[axis];
            rest /= tensor.shape[axis];
        }
        const auto* from =
            static_cast<const std::byte*>(tensor.data) + offset * static_cast<std::int64_t>(width);
        out.insert(out.end(), from, from + width);
    }
    return out;
}

TEST(Tensor, GatherFollowsStridesOfEveryElementSize) {
    std::array<std::uint64_t, 4096> memory{};
    std::iota(memory.begin(), memory.end(), 0x0102030405060708u);
    for (DType dtype : {DType::U8, DType::F16, DType::F32, DType::F64}) {
        for (const Shape& strides : {Shape{1, 4, 20}, Shape{60, 12, 3}, Shape{-60, 5, -1},
                                     Shape{0, 0, 1}, Shape{7, 0, 2}}) {
            const TensorView view(memory.data() + 512, dtype, {4, 5, 3}, strides);
            EXPECT_EQ(gather(view), gather_naively(view)) << describe(view);
        }
    }
}

TEST(Tensor, GatherHandlesScalarsVectorsAndEmptyTensors) {
    const std::array<float, 4> values{1, 2, 3, 4};
    EXPECT_EQ(gather(TensorView(values.data(), DType::F32, {})).size(), 4u);
    EXPECT_THAT(to_f32(TensorView(values.data(), DType::F32, {2}, {2})), ElementsAre(1, 3));
    EXPECT_THAT(to_f32(TensorView(values.data() + 3, DType::F32, {4}, {-1})),
                ElementsAre(4, 3, 2, 1));
    EXPECT_TRUE(gather(TensorView(nullptr, DType::F32, {0, 3})).empty());
    EXPECT_TRUE(to_f32(TensorView(nullptr, DType::F32, {3, 0}, {1, 1})).empty());
}

TEST(Tensor, PermutedAndSlicedViewsShareMemory) {
    const std::array<float, 6> values{0, 1, 2, 3, 4, 5};
    const TensorView matrix(values.data(), DType::F32, {2, 3});
    const std::array<std::size_t, 2> transposed{1, 0};
    EXPECT_THAT(to_f32(permuted(matrix, transposed)), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(to_f32(slice(matrix, 1)), ElementsAre(3, 4, 5));
    EXPECT_FALSE(is_contiguous(permuted(matrix, transposed)));
    EXPECT_TRUE(is_contiguous(slice(matrix, 1)));
}

TEST(Tensor, ConvertsEveryWholeNumberType) {
    const std::array<std::int8_t, 2> i8{-128, 127};
    const std::array<std::uint64_t, 2> u64{0, UINT64_MAX};
    const std::array<std::int64_t, 2> i64{INT64_MIN, 7};
    const std::array<std::uint8_t, 3> truth{0, 1, 255};
    EXPECT_THAT(to_f32(TensorView(i8.data(), DType::I8, {2})), ElementsAre(-128, 127));
    EXPECT_THAT(to_f64(TensorView(u64.data(), DType::U64, {2})),
                ElementsAre(0, 18446744073709551615.0));
    EXPECT_THAT(to_f64(TensorView(i64.data(), DType::I64, {2})),
                ElementsAre(-9223372036854775808.0, 7));
    EXPECT_THAT(to_f32(TensorView(truth.data(), DType::Bool, {3})), ElementsAre(0, 1, 1));
}

TEST(Tensor, IntensitiesAreScaledRoundedAndClamped) {
    const std::array<float, 7> floats{
        -1, 0, 0.5f, 0.999f, 1, 7, std::numeric_limits<float>::quiet_NaN()};
    EXPECT_THAT(to_u8(TensorView(floats.data(), DType::F32, {7})),
                ElementsAre(0, 0, 128, 255, 255, 255, 0));
    const std::array<std::uint16_t, 3> wide{0, 0x1234, 0xFFFF};
    EXPECT_THAT(to_u8(TensorView(wide.data(), DType::U16, {3})), ElementsAre(0, 0x12, 0xFF));
    const std::array<std::int32_t, 3> whole{-5, 200, 300};
    EXPECT_THAT(to_u8(TensorView(whole.data(), DType::I32, {3})), ElementsAre(0, 200, 255));
    const std::array<std::uint8_t, 2> truth{0, 1};
    EXPECT_THAT(to_u8(TensorView(truth.data(), DType::Bool, {2})), ElementsAre(0, 255));
}

#if defined(__FLT16_MAX__)
// The compiler's own half type is the oracle: all 65,536 patterns.
TEST(SmallFloats, HalfEqualsTheCompilersHalf) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const auto expected = static_cast<float>(std::bit_cast<_Float16>(half));
        const float got = f16_to_f32(half);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(got)) << bits;
            ASSERT_TRUE(std::isnan(f16_to_f32(f32_to_f16(got))));
        } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected))
                << bits;
            ASSERT_EQ(f32_to_f16(got), half);
        }
    }
}

TEST(SmallFloats, RoundingToHalfEqualsTheCompilers) {
    std::uint32_t bits = 1;
    for (int i = 0; i < 500000; ++i) {
        bits = bits * 1664525u + 1013904223u;
        const float value = std::bit_cast<float>(bits);
        if (!std::isnan(value)) {
            ASSERT_EQ(f32_to_f16(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)))
                << value;
        }
    }
    for (float value : {65519.f, 65520.f, 65504.f, 5.9604645e-8f, 2.9802322e-8f, 2.98e-8f, 6.1e-5f,
                        6.103515625e-5f}) {
        EXPECT_EQ(f32_to_f16(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)))
            << value;
    }
}
#endif

TEST(SmallFloats, BrainFloatsAreTheUpperHalf) {
    EXPECT_EQ(bf16_to_f32(0x3F80), 1.0f);
    EXPECT_EQ(bf16_to_f32(0xC000), -2.0f);
    EXPECT_EQ(f32_to_bf16(1.00390625f), 0x3F80);  // a tie goes to the even neighbour
    EXPECT_EQ(f32_to_bf16(1.01171875f), 0x3F82);
    EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7F800001u)))));
}

// Values from the OCP 8-bit floating point specification, revision 1.0, table 2.
TEST(SmallFloats, EightBitFloatsMatchTheSpecification) {
    EXPECT_EQ(f8e4m3_to_f32(0x7E), 448.0f);
    EXPECT_EQ(f8e4m3_to_f32(0x78), 256.0f);
    EXPECT_EQ(f8e4m3_to_f32(0x08), 0.015625f);
    EXPECT_EQ(f8e4m3_to_f32(0x07), 0.013671875f);
    EXPECT_EQ(f8e4m3_to_f32(0x01), 0.001953125f);
    EXPECT_EQ(f8e4m3_to_f32(0x81), -0.001953125f);
    EXPECT_TRUE(std::isnan(f8e4m3_to_f32(0x7F)) && std::isnan(f8e4m3_to_f32(0xFF)));
    EXPECT_EQ(f8e5m2_to_f32(0x7B), 57344.0f);
    EXPECT_EQ(f8e5m2_to_f32(0x04), 6.103515625e-05f);
    EXPECT_EQ(f8e5m2_to_f32(0x01), 1.52587890625e-05f);
    EXPECT_TRUE(std::isinf(f8e5m2_to_f32(0x7C)));
    EXPECT_TRUE(std::isnan(f8e5m2_to_f32(0x7D)));
}

TEST(Tensor, RefusalsNameTheShapeAndTheRemedy) {
    const float value = 0;
    const auto message = [](const TensorView& view) {
        return check_tensor(view, "image").error().message;
    };
    EXPECT_THAT(message(TensorView(nullptr, DType::F32, {2, 2})),
                HasSubstr("image f32 [2, 2]: the data pointer is null"));
    EXPECT_THAT(message(TensorView(&value, DType::F32, {2, -1})), HasSubstr("negative"));
    EXPECT_THAT(message(TensorView(&value, DType::F32, {INT64_MAX, 4})), HasSubstr("too large"));
    EXPECT_THAT(message(TensorView(&value, DType::F32, {1, 1}, {1})),
                HasSubstr("one stride per axis"));
    EXPECT_THAT(message(TensorView(&value, static_cast<DType>(99), {1})),
                HasSubstr("unknown element type"));
    EXPECT_THAT(message(TensorView(&value, DType::F32, {1, 1, 1, 1, 1, 1, 1, 1, 1})),
                HasSubstr("eight axes"));
    EXPECT_TRUE(check_tensor(TensorView(nullptr, DType::F32, {0}), "x").ok());
}

}  // namespace
}  // namespace taffrail
