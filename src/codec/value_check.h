// Whether what a value says of itself can be true: asked of every value that comes out of a file,
// before anything is sized by it.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include <cstdint>
#include <optional>
#include <span>

namespace taffrail {

/// Bytes of that many elements; nothing for an unknown type, a negative extent, or more than fit.
std::optional<std::uint64_t> bytes_of_shape(std::span<const std::int64_t> extents,
                                            DType dtype) noexcept;

/// Refuses unknown element types, and a shape that its blobs do not fill exactly (raw pictures,
/// frames, vectors, tensors): by the bytes where they are loaded, else by the size on record.
Result<void> check_value(const Value& value);

}  // namespace taffrail
