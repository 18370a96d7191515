// A logged value as JSON: the `value` of an exported line. docs/formats/jsonl.md is the contract.
#pragma once

#include "cli/export/media_files.h"
#include "codec/json_writer.h"

#include <span>

namespace taffrail::cli {

/// `files` belong to the blobs of the value, in order.
void write_value(JsonWriter& json, const Value& value, std::span<const MediaFile> files);

}  // namespace taffrail::cli
