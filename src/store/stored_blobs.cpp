#include "store/stored_blobs.h"

#include "codec/value_codec.h"

#include <optional>

namespace taffrail::store {

Result<std::vector<tlog::BlobPlace>> store_blobs(record::LogWriter& log, Value& value) {
    std::vector<tlog::BlobPlace> places;
    std::optional<Error> failure;
    for_each_blob(value, [&](Blob& blob) {
        if (blob.bytes == nullptr || failure) {
            return;
        }
        if (auto place = log.put_blob(*blob.bytes, blob.ref); place.ok()) {
            places.push_back(*place);
        } else {
            failure = place.error();
        }
    });
    if (failure) {
        return *std::move(failure);
    }
    return places;
}

}  // namespace taffrail::store
