#include "codec/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail {
namespace {

Shape row_major_strides(const Shape& shape) {
    std::array<std::int64_t, Shape::kMaxRank> strides{};
    std::int64_t step = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        strides[axis] = step;
        step *= std::max<std::int64_t>(shape[axis], 1);
    }
    return Shape(std::span<const std::int64_t>(strides.data(), shape.rank()));
}

Shape strides_of(const TensorView& tensor) {
    return tensor.strides.rank() == 0 ? row_major_strides(tensor.shape) : tensor.strides;
}

/// Copies elements of `kSize` bytes in row-major order: a loop over the last axis, an odometer over
/// the others.
template <std::size_t kSize>
void gather_elements(const TensorView& tensor, std::byte* to) {
    const std::size_t rank = tensor.shape.rank();
    const Shape strides = strides_of(tensor);
    const auto* base = static_cast<const std::byte*>(tensor.data);
    const std::int64_t inner = rank == 0 ? 1 : tensor.shape[rank - 1];
    const std::int64_t inner_stride = rank == 0 ? 1 : strides[rank - 1];
    std::array<std::int64_t, Shape::kMaxRank> index{};
    std::int64_t offset = 0;
    for (;;) {
        if (inner_stride == 1) {
            std::memcpy(to, base + offset * std::int64_t{kSize},
                        static_cast<std::size_t>(inner) * kSize);
            to += static_cast<std::size_t>(inner) * kSize;
        } else {
            for (std::int64_t i = 0; i < inner; ++i, to += kSize) {
                std::memcpy(to, base + (offset + i * inner_stride) * std::int64_t{kSize}, kSize);
            }
        }
        std::size_t axis = rank < 2 ? 0 : rank - 1;
        while (axis > 0) {
            --axis;
            offset += strides[axis];
            if (++index[axis] < tensor.shape[axis]) {
                break;
            }
            offset -= strides[axis] * tensor.shape[axis];
            index[axis] = 0;
            if (axis == 0) {
                return;
            }
        }
        if (rank < 2) {
            return;
        }
    }
}

template <typename From, typename To, typename Convert>
void convert_each(const std::byte* from, std::vector<To>& to, Convert convert) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = convert(load<From>(from + i * sizeof(From)));
    }
}

/// Reads every element as `Wide` (float or double) and passes it through `finish`.
template <typename Wide, typename To, typename Finish>
std::vector<To> converted(const TensorView& tensor, Finish finish) {
    std::vector<To> to(static_cast<std::size_t>(tensor.shape.elements()));
    Bytes owned;
    const auto* from = static_cast<const std::byte*>(tensor.data);
    if (!is_contiguous(tensor)) {
        owned = gather(tensor);
        from = owned.data();
    }
    const auto plain = [&](auto value) { return finish(static_cast<Wide>(value)); };
    const auto half = [&](auto decode) {
        return [&, decode](auto bits) { return finish(static_cast<Wide>(decode(bits))); };
    };
    switch (tensor.dtype) {
        case DType::Bool:
            convert_each<std::uint8_t>(
                from, to, [&](std::uint8_t v) { return finish(static_cast<Wide>(v != 0)); });
            break;
        case DType::U8:
            convert_each<std::uint8_t>(from, to, plain);
            break;
        case DType::I8:
            convert_each<std::int8_t>(from, to, plain);
            break;
        case DType::U16:
            convert_each<std::uint16_t>(from, to, plain);
            break;
        case DType::I16:
            convert_each<std::int16_t>(from, to, plain);
            break;
        case DType::U32:
            convert_each<std::uint32_t>(from, to, plain);
            break;
        case DType::I32:
            convert_each<std::int32_t>(from, to, plain);
            break;
        case DType::U64:
            convert_each<std::uint64_t>(from, to, plain);
            break;
        case DType::I64:
            convert_each<std::int64_t>(from, to, plain);
            break;
        case DType::F16:
            convert_each<std::uint16_t>(from, to, half(f16_to_f32));
            break;
        case DType::BF16:
            convert_each<std::uint16_t>(from, to, half(bf16_to_f32));
            break;
        case DType::F32:
            convert_each<float>(from, to, plain);
            break;
        case DType::F64:
            convert_each<double>(from, to, plain);
            break;
        case DType::F8E4M3:
            convert_each<std::uint8_t>(from, to, half(f8e4m3_to_f32));
            break;
        case DType::F8E5M2:
            convert_each<std::uint8_t>(from, to, half(f8e5m2_to_f32));
            break;
    }
    return to;
}

}  // namespace

bool is_floating(DType dtype) noexcept {
    return dtype >= DType::F16;
}

std::string describe(const TensorView& tensor) {
    std::string text(to_string(tensor.dtype));
    text += " [";
    for (std::size_t axis = 0; axis < tensor.shape.rank(); ++axis) {
        text += axis == 0 ? "" : ", ";
        text += std::to_string(tensor.shape[axis]);
    }
    return text + (tensor.shape.valid() ? "]" : ", …]");
}

Result<void> check_tensor(const TensorView& tensor, std::string_view what) {
    const auto refuse = [&](std::string_view why) {
        return Error{ErrorCode::InvalidArgument,
                     std::string(what) + " " + describe(tensor) + ": " + std::string(why)};
    };
    if (size_of(tensor.dtype) == 0) {
        return refuse("unknown element type; convert it to f32 first");
    }
    if (!tensor.shape.valid() || !tensor.strides.valid()) {
        return refuse("more than eight axes; reshape it first");
    }
    const std::int64_t elements = tensor.shape.elements();
    if (elements < 0 || elements > (std::int64_t{1} << 56)) {
        return refuse("an extent is negative or the product of the extents is too large");
    }
    if (elements > 0 && tensor.data == nullptr) {
        return refuse("the data pointer is null");
    }
    if (tensor.strides.rank() != 0 && tensor.strides.rank() != tensor.shape.rank()) {
        return refuse("needs one stride per axis, or none");
    }
    return {};
}

bool is_contiguous(const TensorView& tensor) noexcept {
    if (tensor.strides.rank() == 0) {
        return true;
    }
    std::int64_t step = 1;
    for (std::size_t axis = tensor.shape.rank(); axis-- > 0;) {
        if (tensor.shape[axis] != 1 && tensor.strides[axis] != step) {
            return false;
        }
        step *= tensor.shape[axis];
    }
    return true;
}

TensorView permuted(const TensorView& tensor, std::span<const std::size_t> axes) {
    const Shape strides = strides_of(tensor);
    TensorView view(tensor.data, tensor.dtype, {}, {});
    for (std::size_t axis : axes) {
        view.shape.push_back(tensor.shape[axis]);
        view.strides.push_back(strides[axis]);
    }
    return view;
}

TensorView slice(const TensorView& tensor, std::int64_t index) {
    const Shape strides = strides_of(tensor);
    const auto* base = static_cast<const std::byte*>(tensor.data);
    const auto width = static_cast<std::int64_t>(size_of(tensor.dtype));
    TensorView view(base + index * strides[0] * width, tensor.dtype, {}, {});
    for (std::size_t axis = 1; axis < tensor.shape.rank(); ++axis) {
        view.shape.push_back(tensor.shape[axis]);
        view.strides.push_back(strides[axis]);
    }
    return view;
}

Bytes gather(const TensorView& tensor) {
    const std::size_t width = size_of(tensor.dtype);
    const std::int64_t elements = tensor.shape.elements();
    if (elements <= 0) {
        return {};
    }
    const std::size_t size = static_cast<std::size_t>(elements) * width;
    if (is_contiguous(tensor)) {
        const auto* from = static_cast<const std::byte*>(tensor.data);
        return Bytes(from, from + size);
    }
    Bytes to(size);
    switch (width) {
        case 1:
            gather_elements<1>(tensor, to.data());
            break;
        case 2:
            gather_elements<2>(tensor, to.data());
            break;
        case 4:
            gather_elements<4>(tensor, to.data());
            break;
        default:
            gather_elements<8>(tensor, to.data());
            break;
    }
    return to;
}

std::vector<float> to_f32(const TensorView& tensor) {
    return converted<float, float>(tensor, [](float value) { return value; });
}

std::vector<double> to_f64(const TensorView& tensor) {
    return converted<double, double>(tensor, [](double value) { return value; });
}

std::vector<std::uint8_t> to_u8(const TensorView& tensor) {
    double scale = 1.0;
    if (is_floating(tensor.dtype) || tensor.dtype == DType::Bool) {
        scale = 255.0;
    } else if (tensor.dtype == DType::U16) {
        return converted<double, std::uint8_t>(tensor, [](double value) {
            return static_cast<std::uint8_t>(static_cast<unsigned>(value) >> 8);
        });
    }
    return converted<double, std::uint8_t>(tensor, [scale](double value) -> std::uint8_t {
        const double scaled = value * scale;
        return scaled > 0 ? static_cast<std::uint8_t>(std::min(scaled + 0.5, 255.0)) : 0;
    });
}

}  // namespace taffrail
