#include "transfer/spooled_value.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/value_codec.h"

namespace taffrail::transfer {

SpoolParts to_spool(Value& value) {
    SpoolParts made;
    std::vector<ByteSpan> blobs;
    for_each_blob(value, [&](Blob& blob) {
        // Not hashed yet, that is the encoder's work; but the reader must know that there is one,
        // and how long.
        blob.ref.size = blob.bytes ? blob.bytes->size() : 0;
        blobs.emplace_back(blob.bytes ? ByteSpan(*blob.bytes) : ByteSpan());
    });
    const Bytes description = encode_value(value);
    append_varint(made.head, description.size());
    append(made.head, ByteSpan(description));
    made.parts.emplace_back(made.head);
    made.parts.insert(made.parts.end(), blobs.begin(), blobs.end());
    made.has_blobs = !blobs.empty();
    return made;
}

Result<record::EncodedValue> encode_spooled(Kind, ByteSpan raw) {
    ByteCursor cursor(raw);
    const ByteSpan description = cursor.take(cursor.varint());
    if (!cursor.ok()) {
        return Error{ErrorCode::Corrupt, "a value in the spool is cut short"};
    }
    TAFFRAIL_ASSIGN(Value value, decode_value(description));
    for_each_blob(value, [&](Blob& blob) {
        const ByteSpan bytes = cursor.take(blob.ref.size);
        blob.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
        blob.ref = {};
    });
    if (!cursor.ok()) {
        return Error{ErrorCode::Corrupt, "a value in the spool lacks some of its bytes"};
    }
    TAFFRAIL_TRY(encode_media(value));
    record::EncodedValue encoded;
    for_each_blob(value, [&](Blob& blob) {
        seal_blob(blob);
        encoded.blobs.push_back(blob);
    });
    encoded.metadata = encode_value(value);
    return encoded;
}

}  // namespace taffrail::transfer
