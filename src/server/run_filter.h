// The run filter language over what the server knows of a run.
#pragma once

#include "server/workspace.h"

#include <functional>
#include <string_view>

namespace taffrail::server {

using RunFilter = std::function<bool(const RunDetails&)>;

/// Empty text matches everything; text that does not parse throws ApiError with the place.
RunFilter compile_run_filter(std::string_view text);

}  // namespace taffrail::server
