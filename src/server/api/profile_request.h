// What the routes of profiles have in common.
#pragma once

#include "server/api/api.h"

#include <memory>
#include <string>
#include <string_view>

namespace taffrail::server {

/// "" where it is absent.
std::string text_parameter(const Request& request, std::string_view name);

/// The profile that two parameters name, on its way maybe; refuses what is not there.
std::shared_ptr<OpenProfile> opened_profile(const ApiContext& context, const Request& request,
                                            std::string_view run = "run",
                                            std::string_view name = "name");

/// :analysis, :workers, :difference.
void add_profile_analysis_routes(Router& router, const ApiContext& context);

}  // namespace taffrail::server
