// What a row of Trackio says of a key, as a value here.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/json.h"
#include "model/gathered_run.h"

#include <optional>
#include <string>

namespace taffrail::sources::trackio {

/// A number, the truth as 1 and 0, and the words that stand for those that JSON lacks.
std::optional<double> number_of(const Json& json) noexcept;

/// The kind that value_of() gives, by the JSON alone.
Kind kind_of_json(const Json& json);
/// Whether it is one value: other objects are names with values of their own.
bool is_value(const Json& json);
/// `folder` holds the projects with their media. Fails where a file is not there or is not what the
/// row says.
Result<Value> value_of(const std::string& key, const Json& json, const std::string& folder,
                       model::GatheredBlobs& blobs);

/// An artifact's version by its manifest: paths with the digests of their files.
Result<Value> artifact_of(const std::string& name, const std::string& type, std::int64_t version,
                          std::string_view manifest, std::string_view metadata,
                          const std::string& folder, const std::string& project,
                          model::GatheredBlobs& blobs);

/// The names of nested settings, joined by '/'.
Hparams flat(const Json& json);

/// 2026-03-01T12:34:56.789+02:00, with a space for the T, without zone as UTC. 0 for anything else.
std::int64_t time_ns_of(std::string_view text) noexcept;

}  // namespace taffrail::sources::trackio
