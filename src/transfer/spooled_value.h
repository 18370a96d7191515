// How a value with pixels, samples or files waits in the spool: its description, then the bytes of
// its blobs.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"
#include "record/value_worker.h"

namespace taffrail::transfer {

/// Parts to write one after the other. Views into `value` and `head`, which must outlive them.
struct SpoolParts {
    Bytes head;
    std::vector<ByteSpan> parts;
    bool has_blobs = false;
};

SpoolParts to_spool(Value& value);

/// The other way, and encoded for the log: pixels become PNG, blobs get their hash.
Result<record::EncodedValue> encode_spooled(Kind kind, ByteSpan raw);

}  // namespace taffrail::transfer
