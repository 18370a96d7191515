// A logged value as JSON: the `value` of an exported line. docs/formats/jsonl.md is the contract.
//
// The dashboard's API has a writer of its own (server/api/value_json.h), because its contract is
// another one: members are named and grouped differently in nearly every kind, blobs are addresses
// there and files here, whole numbers beyond 2^53 are texts there and stay exact here. What both
// share (cells, numbers, NaN and infinities) is JsonWriter's.
#pragma once

#include "codec/json_writer.h"
#include "query/export/media_files.h"

#include <span>

namespace taffrail::query {

/// `files` belong to the blobs of the value, in order.
void write_value(JsonWriter& json, const Value& value, std::span<const MediaFile> files);

}  // namespace taffrail::query
