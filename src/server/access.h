// Who may ask: Host allow-list against DNS rebinding, Origin check on every write, token where one
// is set.
#pragma once

#include "server/http.h"

#include <optional>
#include <string_view>

namespace taffrail::server {

/// Fills path and query of `request` from `target`. Returns the refusal when the request must not
/// reach a handler.
std::optional<Response> admit(const HttpOptions& options, std::string_view target,
                              Request& request);

}  // namespace taffrail::server
