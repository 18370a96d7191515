// A logged value as the `value` of an exported line: docs/formats/jsonl.md.
#pragma once

#include "codec/json_writer.h"
#include "query/export/media_files.h"

#include <span>

namespace taffrail::query {

/// `files` belong to the blobs of the value, in order.
void write_value(JsonWriter& json, const Value& value, std::span<const MediaFile> files);

}  // namespace taffrail::query
