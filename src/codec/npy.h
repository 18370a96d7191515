// NumPy's .npy files: how raw tensors leave the store.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"

namespace taffrail {

/// Wraps row-major elements. Types NumPy has no name for (bf16, the 8-bit floats) are widened to
/// f32, which is exact. `elements` must hold shape.elements() of them.
Bytes encode_npy(ByteSpan elements, DType dtype, const Shape& shape);

}  // namespace taffrail
