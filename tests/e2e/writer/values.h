// Logged values from the JSON the browser tests describe them with: the same members as in the HTTP
// API, with the bytes of the blobs, in order, beside them.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"
#include "codec/json.h"

#include <vector>

namespace taffrail::e2e {

Cell cell_of(const Json& json);
/// [[name, cell], …]
Hparams cells_of(const Json* json);
/// Takes the bytes out of `blobs` front to back. Fails on a kind it does not know or on too few
/// blobs.
Result<Value> value_of(const Json& json, std::vector<Bytes>& blobs);

}  // namespace taffrail::e2e
