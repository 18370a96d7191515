// Runs as JSON objects: the same fields in every command's --json.
#pragma once

#include <taffrail/reader.h>

#include "codec/json_writer.h"

#include <functional>

namespace taffrail::cli {

/// An object with everything RunInfo holds; times are int64 ns UTC. `more` adds fields of a
/// command's own.
void write_run(JsonWriter& json, const RunInfo& run, const std::function<void()>& more = {});
/// What the lists of edit commands begin with: `{"id": …, "name": …`, left open.
JsonWriter& begin_run(JsonWriter& json, const RunInfo& run);
/// {key, kind, count, …} with the statistics of a scalar.
void write_key(JsonWriter& json, const KeyInfo& key);

}  // namespace taffrail::cli
