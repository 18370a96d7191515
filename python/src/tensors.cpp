#include "tensors.h"

#include "errors.h"

#include <string>
#include <string_view>

namespace taffrail::python {
namespace {

std::optional<DType> dtype_of_format(std::string_view format, std::size_t size) {
    while (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
        format.remove_prefix(1);
    }
    if (format.size() != 1) {
        return std::nullopt;
    }
    switch (format[0]) {
        case '?':
            return DType::Bool;
        case 'e':
            return DType::F16;
        case 'f':
            return DType::F32;
        case 'd':
            return DType::F64;
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q':
        case 'N':
            return size == 1   ? DType::U8
                   : size == 2 ? DType::U16
                   : size == 4 ? DType::U32
                               : DType::U64;
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'n':
            return size == 1   ? DType::I8
                   : size == 2 ? DType::I16
                   : size == 4 ? DType::I32
                               : DType::I64;
        default:
            return std::nullopt;
    }
}

std::optional<DType> dtype_of_dlpack(nb::dlpack::dtype dtype) {
    if (dtype.lanes != 1) {
        return std::nullopt;
    }
    const auto pick = [&](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
        switch (dtype.bits) {
            case 8:
                return one;
            case 16:
                return two;
            case 32:
                return four;
            case 64:
                return eight;
            default:
                return std::nullopt;
        }
    };
    switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
        case nb::dlpack::dtype_code::Int:
            return pick(DType::I8, DType::I16, DType::I32, DType::I64);
        case nb::dlpack::dtype_code::UInt:
            return pick(DType::U8, DType::U16, DType::U32, DType::U64);
        case nb::dlpack::dtype_code::Float:
            return dtype.bits == 8 ? std::nullopt
                                   : pick(DType::F16, DType::F16, DType::F32, DType::F64);
        case nb::dlpack::dtype_code::Bfloat:
            return DType::BF16;
        case nb::dlpack::dtype_code::Bool:
            return DType::Bool;
        case nb::dlpack::dtype_code::Float8_E4M3FN:
            return DType::F8E4M3;
        case nb::dlpack::dtype_code::Float8_E5M2:
            return DType::F8E5M2;
        default:
            return std::nullopt;
    }
}

void flatten(nb::handle object, std::size_t depth, std::vector<std::int64_t>& shape,
             std::vector<double>& numbers) {
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
        const auto length = static_cast<std::int64_t>(nb::len(object));
        if (depth == shape.size()) {
            if (depth == Shape::kMaxRank || !numbers.empty()) {
                raise_value_error("lists of lists must be rectangular and at most eight deep");
            }
            shape.push_back(length);
        } else if (shape[depth] != length) {
            raise_value_error("lists of lists must be rectangular: one has " +
                              std::to_string(length) + " elements where another has " +
                              std::to_string(shape[depth]));
        }
        for (nb::handle part : nb::iter(object)) {
            flatten(part, depth + 1, shape, numbers);
        }
        return;
    }
    if (depth != shape.size()) {
        raise_value_error("lists of lists must be rectangular");
    }
    const double number = PyFloat_AsDouble(object.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    numbers.push_back(number);
}

}  // namespace

HeldTensor::HeldTensor(nb::handle object) {
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
        take_numbers(object);
    } else if (!take_buffer(object) && !take_dlpack(object)) {
        raise_type_error(
            "an array is wanted (NumPy, PyTorch, JAX, anything with DLPack or the "
            "buffer protocol, on the CPU), not " +
            std::string(nb::type_name(object.type()).c_str()));
    }
}

HeldTensor::~HeldTensor() {
    if (holds_buffer_) {
        PyBuffer_Release(&buffer_);
    }
}

std::size_t HeldTensor::bytes() const noexcept {
    const std::int64_t elements = view_.shape.elements();
    return elements < 0 ? 0 : static_cast<std::size_t>(elements) * size_of(view_.dtype);
}

bool HeldTensor::take_buffer(nb::handle object) {
    if (PyObject_CheckBuffer(object.ptr()) == 0) {
        return false;
    }
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_RECORDS_RO) != 0) {
        PyErr_Clear();  // a dtype that has no letter there may still speak DLPack
        return false;
    }
    holds_buffer_ = true;
    const auto size = static_cast<std::size_t>(buffer_.itemsize);
    const auto dtype = dtype_of_format(buffer_.format != nullptr ? buffer_.format : "B", size);
    if (!dtype || buffer_.ndim > static_cast<int>(Shape::kMaxRank)) {
        const std::string format = buffer_.format != nullptr ? buffer_.format : "?";
        raise_type_error(!dtype ? "arrays with elements of type '" + format +
                                      "' cannot be logged; convert them to a plain number type"
                                : "arrays have at most eight axes here");
    }
    Shape shape, strides;
    bool plain = true;
    std::int64_t expected = buffer_.len / std::max<Py_ssize_t>(buffer_.itemsize, 1);
    for (int axis = 0; axis < buffer_.ndim; ++axis) {
        shape.push_back(buffer_.shape[axis]);
        if (buffer_.strides[axis] % buffer_.itemsize != 0) {
            raise_type_error("the array's rows do not stand at whole elements; copy it first");
        }
        strides.push_back(buffer_.strides[axis] / buffer_.itemsize);
        expected /= std::max<Py_ssize_t>(buffer_.shape[axis], 1);
        plain = plain && (strides[static_cast<std::size_t>(axis)] == expected);
    }
    view_ = TensorView(buffer_.buf, *dtype, shape, plain ? Shape() : strides);
    return true;
}

bool HeldTensor::take_dlpack(nb::handle object) {
    if (!nb::hasattr(object, "__dlpack__")) {
        return false;
    }
    nb::ndarray<nb::ro> array;
    if (!nb::try_cast(object, array)) {
        return false;
    }
    if (array.device_type() != nb::device::cpu::value) {
        raise_type_error("the array lies in the memory of a device; copy it to the CPU first");
    }
    const auto dtype = dtype_of_dlpack(array.dtype());
    if (!dtype || array.ndim() > Shape::kMaxRank) {
        raise_type_error(
            "arrays of this element type, or of more than eight axes, cannot be logged");
    }
    Shape shape, strides;
    bool plain = true;
    std::int64_t expected = static_cast<std::int64_t>(array.size());
    for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
        const auto extent = static_cast<std::int64_t>(array.shape(axis));
        shape.push_back(extent);
        strides.push_back(array.stride(axis));
        expected /= extent == 0 ? 1 : extent;
        plain = plain && array.stride(axis) == expected;
    }
    view_ = TensorView(array.data(), *dtype, shape, plain ? Shape() : strides);
    array_ = std::move(array);
    return true;
}

void HeldTensor::take_numbers(nb::handle object) {
    std::vector<std::int64_t> extents;
    flatten(object, 0, extents, numbers_);
    Shape shape;
    for (const std::int64_t extent : extents) {
        shape.push_back(extent);
    }
    view_ = TensorView(numbers_.data(), DType::F64, shape);
}

void HeldTensor::check_contiguous(DType dtype, const char* what) const {
    if (view_.dtype != dtype || view_.strides.rank() != 0) {
        raise_type_error(std::string(what) + " must be a contiguous array of " +
                         std::string(to_string(dtype)));
    }
}

}  // namespace taffrail::python
