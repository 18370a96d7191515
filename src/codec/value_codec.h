// Values to bytes and back, as the log keeps them: docs/formats/values.md is the specification.
//
// Only what describes a value is in these bytes. Pixels, samples and files are blobs; inside stands
// their BlobRef.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <functional>

namespace taffrail {

/// The message for any alternative of Value.
Bytes encode_value(const Value& value);
/// The other way. Unknown fields are skipped, unknown kinds are an error, and so is what
/// check_value() refuses; blobs come without bytes.
Result<Value> decode_value(ByteSpan bytes);

/// Calls `visit` for each blob of the value that is present (size or bytes not empty), in the order
/// they are stored.
void for_each_blob(Value& value, const std::function<void(Blob&)>& visit);
void for_each_blob(const Value& value, const std::function<void(const Blob&)>& visit);

}  // namespace taffrail
