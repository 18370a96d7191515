#include "seal/level_blocks.h"

#include "codec/parquet/byte_planes.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"

namespace taffrail::seal {
namespace {

/// A varint of the unpacked length, then a zstd frame.
Bytes pack(ByteSpan body, std::size_t plane_bytes) {
    Bytes bytes;
    append_varint(bytes, body.size());
    parquet::append_zstd(bytes, body, plane_bytes);
    return bytes;
}

bool unpack(ByteSpan bytes, Bytes& body, std::size_t largest) {
    ByteCursor from(bytes);
    const std::uint64_t size = from.varint();
    if (!from.ok() || size > largest) {
        return false;
    }
    body.resize(static_cast<std::size_t>(size));
    return parquet::unpack_zstd(bytes.subspan(from.offset()), body);
}

/// Short planes are not worth blocks of their own.
std::size_t plane_of(std::size_t nodes) {
    return nodes >= 512 ? nodes : 0;
}

}  // namespace

Bytes encode_value_nodes(const ValueNodes& nodes) {
    Bytes body;
    for (const std::span<const double> column : {nodes.min, nodes.max, nodes.sum, nodes.last}) {
        parquet::append_byte_planes(body, column);
    }
    return pack(body, plane_of(nodes.min.size()));
}

bool decode_value_nodes(ByteSpan bytes, const ValueNodesOut& nodes) {
    const std::size_t column_bytes = nodes.min.size_bytes();
    thread_local Bytes body;
    if (!unpack(bytes, body, 4 * column_bytes) || body.size() != 4 * column_bytes) {
        return false;
    }
    std::size_t at = 0;
    for (const std::span<double> column : {nodes.min, nodes.max, nodes.sum, nodes.last}) {
        parquet::join_byte_planes(ByteSpan(body).subspan(at, column_bytes), column);
        at += column_bytes;
    }
    return true;
}

Bytes encode_axis_nodes(std::span<const std::int64_t> first, std::span<const std::int64_t> last) {
    Bytes firsts, body;
    parquet::append_delta_packed(firsts, first);
    append_varint(body, firsts.size());
    append(body, firsts);
    parquet::append_delta_packed(body, last);
    return pack(body, 0);
}

bool decode_axis_nodes(ByteSpan bytes, std::span<std::int64_t> first,
                       std::span<std::int64_t> last) {
    Bytes body;
    // Packed deltas take at most nine bytes a value and a little more for each block of 128.
    if (!unpack(bytes, body, 24 * first.size() + 256)) {
        return false;
    }
    ByteCursor from(body);
    const ByteSpan firsts = from.take(from.varint());
    return from.ok() && parquet::read_delta_packed(firsts, first) &&
           parquet::read_delta_packed(from.take(from.remaining()), last);
}

Bytes encode_axis_nodes(std::span<const double> first, std::span<const double> last) {
    Bytes body;
    parquet::append_byte_planes(body, first);
    parquet::append_byte_planes(body, last);
    return pack(body, plane_of(first.size()));
}

bool decode_axis_nodes(ByteSpan bytes, std::span<double> first, std::span<double> last) {
    Bytes body;
    if (!unpack(bytes, body, 2 * first.size_bytes()) || body.size() != 2 * first.size_bytes()) {
        return false;
    }
    parquet::join_byte_planes(ByteSpan(body).first(first.size_bytes()), first);
    parquet::join_byte_planes(ByteSpan(body).subspan(first.size_bytes()), last);
    return true;
}

}  // namespace taffrail::seal
