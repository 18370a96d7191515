// Reading the caller's tensors: any element type, any strides, into plain contiguous memory.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// Refuses views that cannot be read: null data with elements, negative or overflowing extents,
/// more than eight axes, strides of another rank. `what` names the thing in the message ("image",
/// "embedding").
Result<void> check_tensor(const TensorView& tensor, std::string_view what);

/// "f32 [3, 224, 224]", for error messages.
std::string describe(const TensorView& tensor);

/// True when the elements stand one after the other in row-major order.
bool is_contiguous(const TensorView& tensor) noexcept;

/// The same elements with the axes in another order: no copy. `axes` has the tensor's rank.
TensorView permuted(const TensorView& tensor, std::span<const std::size_t> axes);
/// The `index`-th slice along the first axis: no copy.
TensorView slice(const TensorView& tensor, std::int64_t index);

/// The elements bit for bit in row-major order. The view must have passed check_tensor (as below).
Bytes gather(const TensorView& tensor);
/// The elements as floating point numbers; whole numbers keep their value (u64 and i64 round).
std::vector<float> to_f32(const TensorView& tensor);
std::vector<double> to_f64(const TensorView& tensor);
/// The elements as 8-bit intensities: floats 0…1 are scaled, rounded and clamped (NaN gives 0), u16
/// keeps its high byte, truth values become 0 and 255, other whole numbers are clamped to 0…255.
std::vector<std::uint8_t> to_u8(const TensorView& tensor);

bool is_floating(DType dtype) noexcept;

float f16_to_f32(std::uint16_t bits) noexcept;
float bf16_to_f32(std::uint16_t bits) noexcept;
/// OCP 8-bit floats; E4M3 is the variant without infinities, as PyTorch's float8_e4m3fn.
float f8e4m3_to_f32(std::uint8_t bits) noexcept;
float f8e5m2_to_f32(std::uint8_t bits) noexcept;

/// Round to nearest, ties to even.
std::uint16_t f32_to_f16(float value) noexcept;
std::uint16_t f32_to_bf16(float value) noexcept;

}  // namespace taffrail
