#include "codec/formats/tensorboard/tensor.h"

#include "codec/protobuf_wire.h"

#include <cmath>

namespace taffrail::formats::tensorboard {
namespace {

constexpr std::uint32_t kType = 1, kShape = 2, kContent = 4, kStringValues = 8;

struct ListField {
    std::uint32_t number = 0;
    WireType element = WireType::Varint;
};

/// Where the elements of a type stand when they are listed one by one.
ListField list_field(TensorType type) noexcept {
    switch (type) {
        case TensorType::Float:
            return {5, WireType::Fixed32};
        case TensorType::Double:
            return {6, WireType::Fixed64};
        case TensorType::Int32:
        case TensorType::UInt8:
        case TensorType::Int16:
        case TensorType::Int8:
        case TensorType::UInt16:
            return {7, WireType::Varint};
        case TensorType::Int64:
            return {10, WireType::Varint};
        case TensorType::Bool:
            return {11, WireType::Varint};
        case TensorType::Half:
        case TensorType::BFloat16:
            return {13, WireType::Varint};
        case TensorType::UInt32:
            return {16, WireType::Varint};
        case TensorType::UInt64:
            return {17, WireType::Varint};
        default:
            return {};
    }
}

double half_to_double(std::uint16_t bits) noexcept {
    const int exponent = (bits >> 10) & 0x1F;
    const int mantissa = bits & 0x3FF;
    double magnitude = 0;
    if (exponent == 0x1F) {
        magnitude = mantissa != 0 ? std::nan("") : HUGE_VAL;
    } else if (exponent == 0) {
        magnitude = std::ldexp(mantissa, -24);
    } else {
        magnitude = std::ldexp(mantissa + 1024, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float bfloat_to_float(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// A listed element (raw wire number) or a stored one, as a double.
double to_double(TensorType type, std::uint64_t raw) noexcept {
    switch (type) {
        case TensorType::Float:
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
        case TensorType::Double:
            return std::bit_cast<double>(raw);
        case TensorType::Int32:
            return static_cast<std::int32_t>(raw);
        case TensorType::UInt8:
            return static_cast<std::uint8_t>(raw);
        case TensorType::Int16:
            return static_cast<std::int16_t>(raw);
        case TensorType::Int8:
            return static_cast<std::int8_t>(raw);
        case TensorType::UInt16:
            return static_cast<std::uint16_t>(raw);
        case TensorType::Int64:
            return static_cast<double>(static_cast<std::int64_t>(raw));
        case TensorType::Bool:
            return raw != 0 ? 1 : 0;
        case TensorType::Half:
            return half_to_double(static_cast<std::uint16_t>(raw));
        case TensorType::BFloat16:
            return static_cast<double>(bfloat_to_float(static_cast<std::uint16_t>(raw)));
        case TensorType::UInt32:
            return static_cast<std::uint32_t>(raw);
        case TensorType::UInt64:
            return static_cast<double>(raw);
        default:
            return 0;
    }
}

std::uint64_t load_element(const std::byte* at, std::size_t size) noexcept {
    std::uint64_t raw = 0;
    std::memcpy(&raw, at, size);
    return raw;
}

bool float_holds(TensorType type) noexcept {
    switch (type) {
        case TensorType::Double:
        case TensorType::Int32:
        case TensorType::Int64:
        case TensorType::UInt32:
        case TensorType::UInt64:
            return false;
        default:
            return true;
    }
}

template <typename Each>
bool for_each_listed(const TensorMessage& tensor, Each&& each) {
    const ListField list = list_field(tensor.type);
    ProtoReader reader(tensor.message);
    WireField field;
    while (reader.next(field)) {
        if (field.number == list.number && !for_each_number(field, list.element, each)) {
            return false;
        }
    }
    return reader.ok();
}

bool parse_shape(ByteSpan message, TensorMessage& tensor) {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (!field.is(2, WireType::Length)) {
            continue;
        }
        std::int64_t size = 0;
        ProtoReader dim(field.bytes);
        WireField inner;
        while (dim.next(inner)) {
            if (inner.is(1, WireType::Varint)) {
                size = inner.as_int64();
            }
        }
        // A shape of more axes than any tool writes is an attack on memory, not data.
        if (!dim.ok() || tensor.dims.size() >= 254) {
            return false;
        }
        tensor.dims.push_back(size);
    }
    return reader.ok();
}

}  // namespace

std::int64_t TensorMessage::elements() const noexcept {
    std::int64_t product = 1;
    for (std::int64_t dim : dims) {
        if (dim < 0 || (dim != 0 && product > kMaxElements / dim)) {
            return -1;
        }
        product *= dim;
    }
    return product <= kMaxElements ? product : -1;
}

bool parse_tensor(ByteSpan message, TensorMessage& tensor) {
    tensor.message = message;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(kType, WireType::Varint)) {
            tensor.type =
                field.raw <= 23 ? static_cast<TensorType>(field.raw) : TensorType::Invalid;
        } else if (field.is(kShape, WireType::Length)) {
            tensor.dims.clear();
            tensor.has_shape = true;
            if (!parse_shape(field.bytes, tensor)) {
                return false;
            }
        } else if (field.is(kContent, WireType::Length)) {
            tensor.content = field.bytes;
        }
    }
    return reader.ok();
}

std::size_t element_bytes(TensorType type) noexcept {
    switch (type) {
        case TensorType::Double:
        case TensorType::Int64:
        case TensorType::UInt64:
            return 8;
        case TensorType::Float:
        case TensorType::Int32:
        case TensorType::UInt32:
            return 4;
        case TensorType::Int16:
        case TensorType::UInt16:
        case TensorType::Half:
        case TensorType::BFloat16:
            return 2;
        case TensorType::UInt8:
        case TensorType::Int8:
        case TensorType::Bool:
            return 1;
        default:
            return 0;
    }
}

std::optional<DType> dtype_of(TensorType type) noexcept {
    switch (type) {
        case TensorType::Float:
            return DType::F32;
        case TensorType::Double:
            return DType::F64;
        case TensorType::Int32:
            return DType::I32;
        case TensorType::UInt8:
            return DType::U8;
        case TensorType::Int16:
            return DType::I16;
        case TensorType::Int8:
            return DType::I8;
        case TensorType::Int64:
            return DType::I64;
        case TensorType::Bool:
            return DType::Bool;
        case TensorType::BFloat16:
            return DType::BF16;
        case TensorType::UInt16:
            return DType::U16;
        case TensorType::Half:
            return DType::F16;
        case TensorType::UInt32:
            return DType::U32;
        case TensorType::UInt64:
            return DType::U64;
        default:
            return std::nullopt;
    }
}

TensorType tensor_type_of(DType dtype) noexcept {
    for (std::uint8_t number = 1; number <= 23; ++number) {
        if (dtype_of(static_cast<TensorType>(number)) == dtype) {
            return static_cast<TensorType>(number);
        }
    }
    return TensorType::Invalid;
}

std::optional<std::vector<double>> tensor_numbers(const TensorMessage& tensor) {
    const std::size_t size = element_bytes(tensor.type);
    const std::int64_t wanted = tensor.elements();
    if (size == 0 || wanted < 0) {
        return std::nullopt;
    }
    std::vector<double> numbers;
    const auto count = static_cast<std::size_t>(wanted);
    if (!tensor.content.empty()) {
        if (tensor.content.size() != count * size) {
            return std::nullopt;
        }
        numbers.reserve(count);
        for (std::size_t at = 0; at < tensor.content.size(); at += size) {
            numbers.push_back(
                to_double(tensor.type, load_element(tensor.content.data() + at, size)));
        }
        return numbers;
    }
    const bool whole = for_each_listed(
        tensor, [&](std::uint64_t raw) { numbers.push_back(to_double(tensor.type, raw)); });
    if (!whole || (tensor.has_shape && numbers.size() > count) || (numbers.empty() && count != 0)) {
        return std::nullopt;
    }
    if (tensor.has_shape && numbers.size() < count) {
        if (count > TensorMessage::kMaxFill) {
            return std::nullopt;
        }
        numbers.resize(count, numbers.back());
    }
    return numbers;
}

std::vector<ByteSpan> tensor_strings(const TensorMessage& tensor) {
    std::vector<ByteSpan> strings;
    if (tensor.type != TensorType::String) {
        return strings;
    }
    ProtoReader reader(tensor.message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(kStringValues, WireType::Length)) {
            strings.push_back(field.bytes);
        }
    }
    return strings;
}

std::optional<Bytes> tensor_bytes(const TensorMessage& tensor) {
    const std::size_t size = element_bytes(tensor.type);
    const std::int64_t wanted = tensor.elements();
    if (size == 0 || wanted < 0) {
        return std::nullopt;
    }
    const std::size_t total = static_cast<std::size_t>(wanted) * size;
    if (!tensor.content.empty()) {
        return tensor.content.size() == total
                   ? std::optional(Bytes(tensor.content.begin(), tensor.content.end()))
                   : std::nullopt;
    }
    Bytes bytes;
    const bool whole = for_each_listed(tensor, [&](std::uint64_t raw) {
        const auto* from = reinterpret_cast<const std::byte*>(&raw);
        bytes.insert(bytes.end(), from, from + size);
    });
    const bool fill = bytes.size() < total;
    if (!whole || bytes.size() > total || (bytes.empty() && fill) ||
        (fill && total > TensorMessage::kMaxFill)) {
        return std::nullopt;
    }
    while (bytes.size() < total) {
        const Bytes last(bytes.end() - static_cast<std::ptrdiff_t>(size), bytes.end());
        bytes.insert(bytes.end(), last.begin(), last.end());
    }
    return bytes;
}

std::optional<ScalarElement> tensor_scalar(ByteSpan message) {
    TensorType type = TensorType::Invalid;
    ByteSpan content;
    std::uint64_t raw = 0;
    std::size_t listed = 0;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(kType, WireType::Varint)) {
            type = field.raw <= 23 ? static_cast<TensorType>(field.raw) : TensorType::Invalid;
        } else if (field.is(kShape, WireType::Length)) {
            // Rank 0, or ones all the way down.
            ProtoReader shape(field.bytes);
            WireField dim;
            while (shape.next(dim)) {
                ProtoReader size(dim.bytes);
                WireField extent;
                std::uint64_t elements = 0;
                while (dim.number == 2 && size.next(extent)) {
                    elements = extent.number == 1 ? extent.raw : elements;
                }
                if (dim.number == 2 && elements != 1) {
                    return std::nullopt;
                }
            }
        } else if (field.is(kContent, WireType::Length)) {
            content = field.bytes;
        } else if (const ListField list = list_field(type);
                   list.number != 0 && field.number == list.number) {
            for_each_number(field, list.element, [&](std::uint64_t element) {
                raw = element;
                ++listed;
            });
        }
    }
    const std::size_t size = element_bytes(type);
    if (!reader.ok() || size == 0) {
        return std::nullopt;
    }
    if (content.size() == size) {
        raw = load_element(content.data(), size);
    } else if (!content.empty()) {
        return std::nullopt;
    } else if (listed != 1) {
        // The elements may stand before the type.
        TensorMessage tensor;
        const bool parsed = parse_tensor(message, tensor) && tensor.elements() == 1;
        const auto numbers = parsed ? tensor_numbers(tensor) : std::nullopt;
        if (!numbers || numbers->size() != 1) {
            return std::nullopt;
        }
        return ScalarElement{.value = numbers->front(), .exact_float = float_holds(type)};
    }
    return ScalarElement{.value = to_double(type, raw), .exact_float = float_holds(type)};
}

namespace {

void append_type_and_shape(ProtoWriter& writer, TensorType type,
                           std::span<const std::int64_t> dims) {
    writer.varint(kType, static_cast<std::uint64_t>(type));
    // An empty shape message says rank 0. Without it TensorBoard shows string tensors as nothing at
    // all.
    writer.message(kShape, [&](ProtoWriter& shape) {
        for (std::int64_t dim : dims) {
            shape.message(2, [&](ProtoWriter& extent) { extent.signed_varint(1, dim); });
        }
    });
}

}  // namespace

Bytes encode_tensor(TensorType type, std::span<const std::int64_t> dims, ByteSpan content) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    append_type_and_shape(writer, type, dims);
    if (!content.empty()) {
        writer.bytes(kContent, content);
    }
    return bytes;
}

Bytes encode_strings(std::span<const std::int64_t> dims, std::span<const ByteSpan> elements) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    append_type_and_shape(writer, TensorType::String, dims);
    for (ByteSpan element : elements) {
        writer.bytes(kStringValues, element);
    }
    return bytes;
}

}  // namespace taffrail::formats::tensorboard
