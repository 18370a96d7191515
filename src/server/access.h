// Who may ask: Host allow-list against DNS rebinding, Origin check on every write, sessions where
// they are asked for.
#pragma once

#include "server/http.h"

#include <optional>
#include <string_view>

namespace taffrail::server {

/// Fills path and query of `request` from `target`. Returns the refusal when the request must not
/// reach a handler.
std::optional<Response> admit(const HttpOptions& options, std::string_view target,
                              Request& request);

/// Cookies know hosts and no ports: the port in the name keeps two servers of one machine apart.
std::string session_cookie_name(const HttpOptions& options);

}  // namespace taffrail::server
