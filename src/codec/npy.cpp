#include "codec/npy.h"

#include "codec/tensor.h"

#include <string>

namespace taffrail {
namespace {

const char* numpy_name(DType dtype) {
    switch (dtype) {
        case DType::Bool:
            return "|b1";
        case DType::U8:
            return "|u1";
        case DType::I8:
            return "|i1";
        case DType::U16:
            return "<u2";
        case DType::I16:
            return "<i2";
        case DType::U32:
            return "<u4";
        case DType::I32:
            return "<i4";
        case DType::U64:
            return "<u8";
        case DType::I64:
            return "<i8";
        case DType::F16:
            return "<f2";
        case DType::F64:
            return "<f8";
        default:
            return "<f4";
    }
}

}  // namespace

Bytes encode_npy(ByteSpan elements, DType dtype, const Shape& shape) {
    std::vector<float> widened;
    if (dtype == DType::BF16 || dtype == DType::F8E4M3 || dtype == DType::F8E5M2) {
        widened = to_f32(TensorView(elements.data(), dtype, shape));
        elements = std::as_bytes(std::span(widened));
    }
    std::string header =
        std::string("{'descr': '") + numpy_name(dtype) + "', 'fortran_order': False, 'shape': (";
    for (std::int64_t extent : shape.extents()) {
        header += std::to_string(extent) + ", ";
    }
    header += "), }";
    // Magic, version and length take ten bytes; data begins at a multiple of 64.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    Bytes file;
    append(file, as_bytes(std::string_view("\x93NUMPY\x01\x00", 8)));
    append(file, static_cast<std::uint16_t>(header.size()));
    append(file, as_bytes(header));
    append(file, elements);
    return file;
}

}  // namespace taffrail
