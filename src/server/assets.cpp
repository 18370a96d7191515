#include "server/assets.h"

#include "base/sha256.h"
#include "codec/gzip.h"
#include "io/files.h"

#include <algorithm>

namespace taffrail::server {
namespace {

constexpr std::string_view kPagePolicy =
    "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; style-src 'self' "
    "'unsafe-inline'; worker-src 'self' blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action "
    "'none'";

const Asset* find_asset(std::string_view name) {
    const auto assets = embedded_assets();
    const auto found = std::ranges::find(assets, name, &Asset::name);
    return found == assets.end() ? nullptr : &*found;
}

std::string_view type_by_name(std::string_view name) {
    for (const Asset& asset : embedded_assets()) {
        if (asset.name == name) {
            return asset.type;
        }
    }
    return name.ends_with(".html")  ? "text/html; charset=utf-8"
           : name.ends_with(".js")  ? "text/javascript; charset=utf-8"
           : name.ends_with(".css") ? "text/css; charset=utf-8"
           : name.ends_with(".svg") ? "image/svg+xml"
                                    : "application/octet-stream";
}

void add_policy(Response& response, std::string_view name) {
    response.headers.emplace_back("Content-Security-Policy", std::string(kPagePolicy));
    response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
    // Both together let the page share memory with its workers: charts of a thousand runs are not
    // copied to be drawn.
    response.headers.emplace_back("Cross-Origin-Embedder-Policy", "require-corp");
    // Names below assets/ carry a hash of their content; everything else is asked for anew each
    // time.
    response.headers.emplace_back("Cache-Control", name.starts_with("assets/")
                                                       ? "public, max-age=31536000, immutable"
                                                       : "no-cache");
}

Response from_folder(const Request& request, const std::string& folder, std::string_view name) {
    auto text = io::read_text(io::join(folder, name));
    if (!text) {
        return Response::error(request, 404, "not_found", "there is no such file");
    }
    Response response;
    response.headers.emplace_back("Content-Type", std::string(type_by_name(name)));
    add_policy(response, "");
    response.body.text = *std::move(text);
    return response;
}

bool accepts_gzip(const Request& request) {
    return request.header("accept-encoding").find("gzip") != std::string_view::npos;
}

}  // namespace

std::string openapi_json() {
    const Asset* schema = find_asset("openapi.json");
    if (schema == nullptr) {
        return "{}";
    }
    auto text = gunzip(as_bytes(schema->bytes));
    return text ? std::string(as_text(*text)) : "{}";
}

Response serve_asset(const Request& request, const std::string& folder) {
    std::string_view name = request.path;
    const auto slash = name.rfind('/');
    const bool is_page = name.substr(slash == std::string_view::npos ? 0 : slash + 1).find('.') ==
                         std::string_view::npos;
    if (is_page) {
        name = "index.html";
    }
    if (!folder.empty()) {
        return from_folder(request, folder, name);
    }
    const Asset* asset = find_asset(name);
    if (asset == nullptr) {
        return Response::error(request, 404, "not_found", "there is no such file");
    }
    Response response;
    response.headers.emplace_back("Content-Type", std::string(asset->type));
    response.headers.emplace_back("ETag", std::string(asset->etag));
    response.headers.emplace_back("Vary", "Accept-Encoding");
    add_policy(response, name);
    if (request.header("if-none-match") == asset->etag) {
        response.status = 304;
        return response;
    }
    if (asset->encoding.empty()) {
        response.body.view = asset->bytes;
        response.body.owner = std::shared_ptr<const void>(asset, [](const void*) {});
    } else if (accepts_gzip(request)) {
        response.headers.emplace_back("Content-Encoding", std::string(asset->encoding));
        response.body.view = asset->bytes;
        response.body.owner = std::shared_ptr<const void>(asset, [](const void*) {});
    } else {
        auto text = gunzip(as_bytes(asset->bytes));
        response.body.text = text ? std::string(as_text(*text)) : std::string();
    }
    return response;
}

}  // namespace taffrail::server
