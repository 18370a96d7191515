// Values of the history that are not numbers, from the JSON that tells of them.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/json.h"
#include "sources/wandb/part_files.h"

#include <string>
#include <string_view>

namespace taffrail::sources::wandb {

/// What `json` is: text, a histogram, media with their files. What is not known here becomes an
/// artifact of its files, or its JSON as text. Fails where the files are not there.
/// `step` and `key` name the files of lists that old versions wrote without names.
Result<Value> value_of(const std::string& key, Step step, const Json& json, PartFiles& files);

/// The kind that value_of() gives, by the JSON alone.
Kind kind_of_json(const Json& json);

}  // namespace taffrail::sources::wandb
