// A decoded value as the JSON of docs/api (EntryValue).
#pragma once

#include <taffrail/value.h>

#include "codec/json_writer.h"

namespace taffrail::server {

void write_value(JsonWriter& json, const Value& value);

}  // namespace taffrail::server
