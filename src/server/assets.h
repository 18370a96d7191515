// The dashboard's files, embedded in the binary by cmake/embed_assets.py.
#pragma once

#include "server/http.h"

#include <span>
#include <string_view>

namespace taffrail::server {

struct Asset {
    std::string_view name;  ///< "index.html", "assets/app-1a2b3c.js"
    std::string_view type;
    std::string_view encoding;  ///< "gzip" or ""
    std::string_view etag;
    std::string_view bytes;
};

std::span<const Asset> embedded_assets() noexcept;
/// Changes with any embedded file.
std::string_view assets_version() noexcept;

/// Answers everything outside api/: a file, or the page for addresses without an extension.
/// `folder` serves from disk instead (for people who work on the dashboard).
Response serve_asset(const Request& request, const std::string& folder);

/// The published schema of the API, as JSON text.
std::string openapi_json();

}  // namespace taffrail::server
